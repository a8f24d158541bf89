"""The end of a soak: the first rule that did not hold, in one line."""


class Violation(Exception):
    """A rule of Lull did not hold."""


class Unable(Exception):
    """The soak itself cannot go on: something is missing on this machine."""
