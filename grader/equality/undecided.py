"""The signal that an exact method does not reach a formula; the caller tries the next one."""


class Undecided(Exception):
    """The method at hand cannot decide this formula."""


class NoImage(Undecided):
    """A denominator is 0 at this point: by chance, by design, or because it is 0 everywhere."""
