"""What is true: reads answers, decides equality, runs the tiny model, gives verdicts.

This package knows no database, network or page. ``read`` takes what a student typed and never sees a key; ``grade``
compares what was read with keys that a run of PyTorch has confirmed.
"""
