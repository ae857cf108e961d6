"""The only home of PyTorch: a small model is built and looked at, in a process of its own.

`service.Runner` is what the rest of the program uses; importing it loads no PyTorch. Everything else here runs in the
child process that `serve` starts.
"""
