"""The errors, words and events of the package."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from ._lines import Line

Mode = Literal[
    "voip", "audio", "external-accessory", "fetch", "remote-notification", "location", "bluetooth-central",
    "bluetooth-peripheral",
]
LineType = Literal["voip", "accessory", "location", "bluetooth"]
Offload = Literal["line", "crlf", "udp-keepalive", "stun"]
FetchResult = Literal["new-data", "no-data", "failed"]
State = Literal["inactive", "active", "background"]
Suspension = Literal["none", "cgroup", "signal"]


class LullError(Exception):
    """A call failed."""


class Unavailable(LullError):
    """No lulld runs and none could be started."""


class Lost(LullError):
    """lulld is away. It is looked for, and the event Restored tells when it is back."""


class TimedOut(LullError):
    """lulld did not answer in 5 s."""


class Ended(LullError):
    """The program has left."""


class Refused(LullError):
    """The call was refused: `code` is the word of docs/PROTOCOL.md, such as `name-in-use`."""

    def __init__(self, code: str, text: str) -> None:
        super().__init__(text)
        self.code = code


@dataclass(frozen=True)
class Notification:
    """A notification to show, or one that is shown or waits.

    `sound` is `default` or the path of a file. The sound of a `call` repeats until it is answered, 60 s at
    most. `at` is in seconds since 1970, `repeat` in seconds (60 or more) or a word such as `day`.
    """

    body: str
    title: str | None = None
    action: str | None = None
    sound: str | None = None
    call: bool = False
    at: float | None = None
    repeat: str | None = None
    zone: str | None = None


@dataclass(frozen=True)
class Launch:
    """Why the program was started: `user`, `url`, `notification`, `data`, `keepalive`, `fetch`, `push`,
    `boot` or `crash`; the name of the line on which data came, and the link."""

    reason: str = "user"
    line: str | None = None
    url: str | None = None


class Event:
    """What a handler is called with. Pass over those that you do not know."""


@dataclass(frozen=True)
class Message(Event):
    """A message of the program's life, such as `didEnterBackground`. The handler has 5 s."""

    name: str


@dataclass(frozen=True)
class Wake(Event):
    """The program slept and was woken. Say `done`."""

    reason: str
    line: "Line | None" = None
    waited_microseconds: int | None = None


@dataclass(frozen=True)
class KeepAlive(Event):
    """The keep-alive is due: 10 s, then say `done`."""


@dataclass(frozen=True)
class Fetch(Event):
    """Look for new content: 30 s, or until `fetched`."""

    ticket: int


@dataclass(frozen=True)
class Push(Event):
    """Somebody has pushed something: 30 s in the background, or until `fetched`."""

    ticket: int
    payload: bytes
    title: str | None = None


@dataclass(frozen=True)
class Expire(Event):
    """The time of a task ends in 5 s: end it, or the program is killed."""

    task: int


@dataclass(frozen=True)
class Action(Event):
    """The user chose an action of a notification: 10 s in the background; say `done`. `token` is the
    desktop's (XDG_ACTIVATION_TOKEN)."""

    notification: int
    action: str
    token: str | None = None


@dataclass(frozen=True)
class Open(Event):
    """Somebody opened a link of the program's schemes: a stranger's text. Say `done`."""

    url: str


@dataclass(frozen=True)
class Received(Event):
    """A notification was due while the program is active, and is not shown."""

    notification: int
    content: Notification


@dataclass(frozen=True)
class Changed(Event):
    """Something changed around the program (docs/SURROUNDINGS.md)."""

    what: tuple[str, ...]
    locked: bool = False
    power: str | None = None
    percent: int | None = None


@dataclass(frozen=True)
class Keeping(Event):
    """The program is to end and its lines are kept: it must not take its leave of its peers."""


@dataclass(frozen=True)
class Prepare(Event):
    """Sleep follows, and lulld cannot see what is read: do not read a line before the next event."""


@dataclass(frozen=True)
class Away(Event):
    """lulld is gone. The program runs on, and does not sleep."""


@dataclass(frozen=True)
class Restored(Event):
    """lulld is there again, and knows what it knew before."""


@dataclass(frozen=True)
class LineLost(Event):
    """A line could not be declared to the next lulld, and wakes nobody any more. Release it."""

    line: "Line"
    error: LullError
