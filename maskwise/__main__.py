"""`python -m maskwise` is the same command as `maskwise`, for when the scripts folder is not on the path."""

import sys

from maskwise.cli import main

if __name__ == "__main__":
    sys.exit(main())
