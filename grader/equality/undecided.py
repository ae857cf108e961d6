"""The signal that an exact method does not reach a formula; the caller tries the next one."""


class Undecided(Exception):  # noqa: N818 - a signal, not an error of the program
    """The method at hand cannot decide this formula."""
