"""What lulld tells, and what the program's handler hears of it."""

import os
from collections.abc import Callable
from typing import TYPE_CHECKING

from . import _types
from ._channel import Back, DoneReceived, Gone, Notice, now
from ._grammar import Value
from ._tickets import Word
from ._types import Event, LullError, Notification, State

if TYPE_CHECKING:
    from ._lines import Line
    from ._program import Program

# The state of a program that is told a message: before the handler, or when that has returned.
_BEFORE: dict[str, State] = {"didBecomeActive": "active", "didEnterBackground": "background"}
_BEHIND: dict[str, State] = {"willResignActive": "inactive", "willEnterForeground": "inactive"}


def fields(notification: Notification, delay: float | None = None) -> dict[str, Value]:
    """The fields of a notification in a request; `delay` stands where it has no date."""
    at = notification.at
    return {
        "body": notification.body, "title": notification.title, "action": notification.action,
        "sound": notification.sound, "call": notification.call,
        "at": None if at is None else float(at), "in": delay if at is None else None,
        "repeat": notification.repeat, "zone": notification.zone,
    }


def content(fields: dict[str, str]) -> Notification:
    """The notification that a notice or an item describes."""
    at = fields.get("at")
    return Notification(
        fields.get("body", ""), fields.get("title"), fields.get("action"), fields.get("sound"),
        "call" in fields, float(at) if at else None, fields.get("repeat"), fields.get("zone"))


class Notices:
    """Handles what has come, entry by entry."""

    def __init__(self, program: "Program") -> None:
        self._program = program
        self._handover: int | None = None
        self._launched = 0  # the launch messages that have come
        self._locked_data = False
        self._known: dict[str, object] = {"locked": False, "power": None, "percent": None}
        self._handlers: dict[str, Callable[[dict[str, str]], None]] = {
            "deliver": self._deliver, "wake": self._wake, "keepalive": self._keepalive, "fetch": self._fetch,
            "expire": self._expire, "action": self._action, "open": self._open,
            "received": self._received, "changed": self._changed, "keeping": self._keeping,
            "prepare": self._prepare,
        }

    def handle(self, entry: Notice | Back | Gone | DoneReceived) -> None:
        """Handles an entry. A notice that this version does not know is passed over."""
        match entry:
            case Notice(name, fields, descriptor):
                payload = _payload(descriptor)
                if name == "push":
                    self._push(fields, payload)
                elif name in self._handlers:
                    self._handlers[name](fields)
            case DoneReceived(ticket):
                self._program._tickets.done_received(ticket)
            case Gone():
                self._lose()
            case Back():
                self._come_back()

    def _tell(self, verb: str, ticket: int | None = None) -> None:
        self._program._channel.tell(verb, {"ticket": ticket})

    def _asked(self, fields: dict[str, str], event: Event) -> None:
        """An event that the program learns from the notice alone."""
        self._program._tickets.received(_ticket(fields))
        self._program._tickets.word = Word.UNSAID
        self._program._emit(event)

    # The messages of the program's life.

    def _deliver(self, fields: dict[str, str]) -> None:
        self._program._tickets.received(_ticket(fields))
        self._message(fields.get("message", ""))
        self._tell("did", _ticket(fields))

    def _message(self, name: str) -> None:
        launching = ("willFinishLaunching", "didFinishLaunching")
        self._launched = launching.index(name) + 1 if name in launching else 3
        self._program.state = _BEFORE.get(name, self._program.state)
        if name == "protectedDataDidBecomeAvailable":
            self._locked_data = False
        self._program._emit(_types.Message(name))
        self._program.state = _BEHIND.get(name, self._program.state)
        if name == "protectedDataWillBecomeUnavailable":
            self._locked_data = True

    def _launch_alone(self) -> None:
        """Goes on with a launch whose lulld has ended: the next one takes the program over as it is."""
        last = "didBecomeActive" if self._program.state == "inactive" else "didEnterBackground"
        for name in ("willFinishLaunching", "didFinishLaunching", last)[self._launched:]:
            self._message(name)

    # Wakes and what comes with a ticket.

    def _wake(self, fields: dict[str, str]) -> None:
        program, reason = self._program, fields.get("reason", "")
        program._tickets.woke(reason, _ticket(fields))
        if reason == "timer":
            program._wake_at = 0.0
        waited = fields.get("waitedMicroseconds")
        line = program._lines.find(int(fields.get("line", 0)))
        program._emit(_types.Wake(reason, line, int(waited) if waited else None))

    def _keepalive(self, fields: dict[str, str]) -> None:
        program = self._program
        program._tickets.received(_ticket(fields))
        program._keepalive_run = now()
        # It was cleared while the notice was on its way.
        program._tickets.word = Word.UNSAID if program._keepalive else Word.GIVEN
        if program._keepalive:
            program._emit(_types.KeepAlive())

    def _fetch(self, fields: dict[str, str]) -> None:
        if self._program._fetch:
            self._program._fetch = (self._program._fetch[0], now())
        self._program._emit(_types.Fetch(_ticket(fields)))

    def _push(self, fields: dict[str, str], payload: bytes) -> None:
        self._program._emit(_types.Push(_ticket(fields), payload, fields.get("title")))

    def _action(self, fields: dict[str, str]) -> None:
        number = int(fields.get("notification", 0))
        self._asked(fields, _types.Action(number, fields.get("action", ""), fields.get("token")))

    def _open(self, fields: dict[str, str]) -> None:
        if "url" in fields:
            self._asked(fields, _types.Open(fields["url"]))

    def _expire(self, fields: dict[str, str]) -> None:
        for task, (_, number) in list(self._program._tasks.items()):
            if number == int(fields.get("task", 0)):
                self._program._emit(_types.Expire(task))

    def _received(self, fields: dict[str, str]) -> None:
        self._program._tickets.word = Word.UNSAID
        self._program._emit(_types.Received(int(fields.get("notification", 0)), content(fields)))

    # Around the program.

    def _changed(self, fields: dict[str, str]) -> None:
        what = {word for word in fields.get("what", "").split(",") if word}
        percent = fields.get("percent")
        self._note_changes(
            what, "locked" in fields, fields.get("power"), int(percent) if percent else None)

    def _note_changes(self, what: set[str], locked: bool, power: str | None, percent: int | None) -> None:
        """A lulld that was restarted tells what the program knows already."""
        known, self._known = self._known, {"locked": locked, "power": power, "percent": percent}
        if (known["power"], known["percent"]) == (power, percent):
            what.discard("power")
        if known["locked"] == locked:
            what.discard("lock")
        if what and self._launched >= 2:
            self._program._emit(_types.Changed(tuple(sorted(what)), locked, power, percent))

    def _prepare(self, fields: dict[str, str]) -> None:
        self._handover = _ticket(fields)
        self._program._emit(_types.Prepare())

    def _keeping(self, fields: dict[str, str]) -> None:
        # lulld may lack the right to take the descriptors by itself.
        self._program._lines.send(0, are_kept=True)
        self._program._emit(_types.Keeping())

    def hand_over(self) -> None:
        """Answers Prepare, when the handler has returned."""
        ticket, self._handover = self._handover, None
        if ticket is not None:
            self._program._lines.send(ticket, are_kept=False)
            self._tell("ready", ticket)

    # The end of lulld, and its return.

    def _lose(self) -> None:
        program = self._program
        program._tickets.restart()
        self._handover = None
        for line in program._lines.held:
            line.id = 0
        program._tasks = {task: (name, 0) for task, (name, _) in program._tasks.items()}
        self._launch_alone()
        program._emit(_types.Away())

    def _come_back(self) -> None:
        program = self._program
        try:
            program._lines.declare_all(self._line_lost)
            program._declare_all()
        except LullError:
            return  # the next lulld is told everything when this one is gone again
        if program._wanted:
            self._tell(program._wanted)
        program._wanted = None
        # The old lulld did not finish the transition, and the new one knows nothing of it.
        if self._locked_data:
            self._message("protectedDataDidBecomeAvailable")
        # A lock that lasts is told again.
        if self._known["locked"]:
            self._known["locked"] = False
            program._emit(_types.Changed(("lock",)))
        if program.state == "inactive":
            self._message("didBecomeActive")
        program._emit(_types.Restored())

    def _line_lost(self, line: "Line", error: LullError) -> None:
        self._program._emit(_types.LineLost(line, error))


def _ticket(fields: dict[str, str]) -> int:
    return int(fields.get("ticket", 0))


def _payload(descriptor: int | None) -> bytes:
    if descriptor is None:
        return b""
    try:
        return os.pread(descriptor, 1 << 20, 0)
    except OSError:
        return b""
    finally:
        os.close(descriptor)


