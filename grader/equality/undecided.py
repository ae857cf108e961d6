"""The signal that an exact method does not reach a formula; the caller tries the next one."""


class Undecided(Exception):
    """The method at hand cannot decide this formula."""
