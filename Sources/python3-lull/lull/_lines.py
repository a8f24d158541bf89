"""Lines: descriptors that wake the program, and those of its last life, which Lull has kept and passed to
this one (docs/KEPT-LINES.md)."""

import fcntl
import os
import select
import socket
import stat
from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

from . import _grammar
from ._channel import Channel
from ._grammar import Value
from ._types import Lost, LullError, Refused, TimedOut

_STATE = 4096
_KEPT = 48
_FIRST_PASSED = 3


class HasFileno(Protocol):
    """A socket, a file, an accessory: anything that poll takes."""

    def fileno(self) -> int: ...


@dataclass(eq=False)
class Line:
    """A descriptor that may wake the program. `file` is what was held; the program reads it as before."""

    file: HasFileno
    type: str = "voip"
    offload: tuple[str, ...] = ()
    tcp_keepalive: float | None = None
    name: str | None = None
    encrypted: bool = False
    state: bytes = b""
    id: int = 0  # lulld's number; 0 while it has none
    is_lost: bool = False  # a lulld has refused it

    def fileno(self) -> int:
        return self.file.fileno()


@dataclass(frozen=True, eq=False)
class RestoredLine:
    """A live connection of the program's last life. What is not taken within 60 s is closed."""

    file: socket.socket
    name: str | None
    type: str
    offload: tuple[str, ...]
    tcp_keepalive: float | None
    state: bytes


class Lines:
    """The program's lines, and their declaration."""

    def __init__(self, channel: Channel) -> None:
        self._channel = channel
        self.held: list[Line] = []

    def find(self, number: int) -> Line | None:
        return next((line for line in self.held if number and line.id == number), None)

    def is_readable(self) -> bool:
        poll = select.poll()
        for line in self.held:
            poll.register(line.fileno(), select.POLLIN | select.POLLRDHUP)
        return bool(self.held and poll.poll(0))

    def add(self, line: Line) -> Line:
        """Holds a line; a lulld that is away is told when it is back."""
        if line.tcp_keepalive:
            _start_probes(line)
        try:
            self._declare(line)
        except Lost:
            pass
        self.held.append(line)
        return line

    def remove(self, line: Line) -> None:
        if line in self.held:
            self.held.remove(line)
        if line.id:
            self._channel.tell("release", {"line": line.id})
        line.id = 0

    def set_state(self, line: Line, state: bytes) -> None:
        if line.encrypted:
            raise Refused(
                "refused", "an encrypted line has no state: it is not kept, since its keys are not")
        if len(state) > _STATE:
            raise Refused("refused", f"a state has at most {_STATE} bytes")
        line.state = state
        try:
            if line.id:
                self._tell_state(line)
        except Lost:
            pass

    def _tell_state(self, line: Line) -> None:
        file = os.memfd_create("lull-line-state", os.MFD_CLOEXEC | os.MFD_ALLOW_SEALING)
        try:
            os.write(file, line.state)
            self._channel.ask("line-state", {"line": line.id}, file)
        finally:
            os.close(file)

    def _declare(self, line: Line) -> None:
        fields: dict[str, Value] = {
            "fd": line.fileno(), "type": line.type, "offload": line.offload or None,
            "tcpKeepalive": line.tcp_keepalive and float(line.tcp_keepalive), "name": line.name,
            "encrypted": line.encrypted,
        }
        line.id = int(self._channel.ask("hold", fields, line.fileno())["line"])
        if line.state:
            self._tell_state(line)

    def declare_all(self, on_lost: Callable[[Line, LullError], None]) -> None:
        """Declares every line to the next lulld; raises Lost when that is gone too."""
        for line in list(self.held):
            if line.id or line.is_lost or line not in self.held:
                continue
            try:
                self._declare(line)
            except (Lost, TimedOut) as error:
                raise Lost(str(error)) from error
            except LullError as error:
                line.id, line.is_lost = 0, True
                on_lost(line, error)

    def send(self, ticket: int, are_kept: bool) -> None:
        """Sends the descriptors of the lines, or of those that may be kept."""
        sent = [line for line in self.held if line.id and not (are_kept and line.encrypted)]
        for line in sent[:_KEPT] if are_kept else sent:
            self._channel.tell("handover", {"line": line.id, "ticket": ticket}, line.fileno())


def _start_probes(line: Line) -> None:
    """The kernel probes an idle connection; its probes wake no program."""
    idle = max(1, min(int(line.tcp_keepalive or 0), 32767))
    with socket.socket(fileno=os.dup(line.fileno())) as own:
        own.setsockopt(socket.IPPROTO_TCP, socket.TCP_KEEPIDLE, idle)
        own.setsockopt(socket.IPPROTO_TCP, socket.TCP_KEEPINTVL, min(idle, 75))
        own.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)


def _variable(name: str) -> int:
    text = os.environ.get(name, "")
    return int(text) if text.isdecimal() and len(text) < 10 else -1


def _described(descriptor: int) -> list[dict[str, str]]:
    """What a memfd says of the lines; nothing for any other descriptor, which has the number by chance."""
    try:
        fcntl.fcntl(descriptor, fcntl.F_GET_SEALS)
        size = os.fstat(descriptor).st_size
        text = os.pread(descriptor, min(size, _KEPT * 65536), 0)
    except OSError:
        return []
    lines = []
    for line in text.split(b"\n"):
        try:
            message = _grammar.parse(line)
        except _grammar.Malformed:
            continue
        if message.verb == "keep-line":
            lines.append(message.fields)
    return lines


def _is_socket(descriptor: int) -> bool:
    try:
        return stat.S_ISSOCK(os.fstat(descriptor).st_mode)
    except OSError:
        return False


def inherited() -> list[RestoredLine]:
    """Takes the descriptors that were passed to this process, so that no child inherits them."""
    count = _variable("LISTEN_FDS")
    description = _FIRST_PASSED + count
    if _variable("LISTEN_PID") != os.getpid() or not 1 <= count <= _KEPT:
        return []
    if _variable("LULL_LINES") != description:
        return []
    described = _described(description)
    if len(described) < count:
        return []
    os.close(description)
    restored = []
    for descriptor, fields in zip(range(_FIRST_PASSED, description), described):
        if _is_socket(descriptor):
            file = socket.socket(fileno=os.dup(descriptor))
            os.close(descriptor)
            restored.append(_restored(file, fields))
    return restored


def _restored(file: socket.socket, fields: dict[str, str]) -> RestoredLine:
    probes = fields.get("tcpKeepalive")
    return RestoredLine(
        file, fields.get("name"), fields.get("type", "voip"),
        tuple(filter(None, fields.get("offload", "").split(","))), float(probes) if probes else None,
        bytes.fromhex(fields.get("state", "")))
