"""Maskwise: randomised exercises on masked models, each key proven by running a small PyTorch model."""

__version__ = "0.1.0"
