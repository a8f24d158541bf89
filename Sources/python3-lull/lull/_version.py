"""The version of Lull that this package belongs to."""

VERSION = (0, 1, 0)
