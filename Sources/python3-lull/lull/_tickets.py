"""lulld's tickets, and the program's word that it has handled them. The rules are those of `Tickets` in
Sources/Lull/Application: an event takes the word back, and a wake whose notice is read after the word was
told, and before lulld's answer, happened before it."""

from enum import Enum

# What wakes by these is seen elsewhere too; of other wakes the program learns from the notice alone.
_SEEN = {
    "data", "closed", "error", "accept", "accessory", "child", "writable", "unfrozen", "timer", "signal",
    "url", "location", "bluetooth",
}


class Word(Enum):
    """How far the word has come."""

    UNSAID = 1
    GIVEN = 2
    TOLD = 3
    RECEIVED = 4


class Tickets:
    """The highest ticket, and the word."""

    def __init__(self) -> None:
        self.highest: int | None = None
        self.is_owed = False
        self.word = Word.UNSAID
        self.told = 0

    def received(self, ticket: int) -> None:
        self.highest = max(ticket, self.highest or 0)
        self.is_owed = True

    def woke(self, reason: str, ticket: int) -> None:
        """Decides whether the program's word answers the wake."""
        self.received(ticket)
        if reason in ("fetch", "push"):
            return  # over with its result: no `done` is waited for
        if reason not in _SEEN:
            self.word = Word.UNSAID
        elif self.word is not Word.UNSAID:
            answers = self.word is not Word.RECEIVED or reason == "unfrozen"
            self.word = Word.GIVEN if answers else Word.UNSAID

    def done_received(self, ticket: int) -> None:
        if self.word is Word.TOLD and self.told == ticket:
            self.word = Word.RECEIVED

    def restart(self) -> None:
        self.highest, self.is_owed = None, False
        if self.word is not Word.UNSAID:
            self.word = Word.RECEIVED

    def give(self) -> None:
        # A word that lulld has is not said again: a loop that says it in each turn would turn for ever.
        if self.word is Word.UNSAID or self.is_owed:
            self.word = Word.GIVEN
