"""The connection to lulld: lines out, with a descriptor; answers in the order of the requests; and notices
that wait for their turn. What waits in either direction is bounded."""

import ctypes
import os
import select
import socket
import struct
import time
from collections import deque
from collections.abc import Callable
from typing import NamedTuple

from . import _grammar, _launch
from ._grammar import Line, Value
from ._types import Ended, Lost, Refused, TimedOut
from ._version import VERSION

PATIENCE = 5.0  # seconds for an answer
_WAITING = 1 << 20  # bytes that may wait in either direction
_READ = select.EPOLLIN
_CLOEXEC_NONBLOCK = os.O_CLOEXEC | os.O_NONBLOCK


def now() -> float:
    """Seconds of CLOCK_BOOTTIME, the clock of the protocol."""
    return time.clock_gettime(time.CLOCK_BOOTTIME)


class Back(NamedTuple):
    """The next lulld has registered the program."""


class Gone(NamedTuple):
    """lulld is gone."""


class DoneReceived(NamedTuple):
    """lulld has read the `done` with this ticket."""

    ticket: int


class Notice(NamedTuple):
    """What lulld has told, with the descriptor that came with it."""

    name: str
    fields: dict[str, str]
    descriptor: int | None


class _Timer:
    """A timerfd, which Python has from 3.13 on."""

    def __init__(self) -> None:
        self._libc = ctypes.CDLL(None, use_errno=True)
        self.descriptor: int = self._libc.timerfd_create(time.CLOCK_BOOTTIME, _CLOEXEC_NONBLOCK)
        if self.descriptor < 0:
            raise OSError(ctypes.get_errno(), "timerfd_create")
        self._armed = 0.0

    def arm(self, at: float) -> None:
        """Makes the descriptor readable at a moment; 0: never."""
        if at == self._armed:
            return
        self._armed = at
        moment = struct.pack("@4l", 0, 0, int(at), int(at % 1 * 1e9))
        self._libc.timerfd_settime(self.descriptor, 1, moment, None)

    def clear(self) -> None:
        try:
            os.read(self.descriptor, 8)
            self._armed = 0.0
        except BlockingIOError:
            pass


class Channel:
    """The connection, which is made anew when lulld is gone."""

    def __init__(self) -> None:
        self.socket: socket.socket | None = None
        self.is_up = self.is_registering = self.is_closed = self.is_foreign = False
        self.due = 0.0
        self.daemon_version = ""
        self.entries: deque[Notice | Back | Gone | DoneReceived] = deque()
        self.on_item: Callable[[dict[str, str]], None] | None = None
        self.on_registered: Callable[[dict[str, str]], None] = lambda fields: None
        self.timer = _Timer()
        self.loop = select.epoll(flags=select.EPOLL_CLOEXEC)
        self.loop.register(self.timer.descriptor, _READ)
        self._retry = 0.01
        self._input = bytearray()
        self._output = bytearray()
        self._descriptors: list[int] = []
        self._expected: deque[str | int] = deque()
        self._reply: Line | None = None

    def connect(self) -> None:
        """Connects; raises Unavailable when nobody listens."""
        self.socket = _launch.connect()
        self.socket.setblocking(False)
        self.is_foreign, self._reply = False, None
        self.loop.register(self.socket, _READ)

    def drop(self) -> None:
        """Gives the connection up, to look for lulld again."""
        was_up, self.is_up, self.is_registering = self.is_up, False, False
        if self.socket:
            self.loop.unregister(self.socket)
            self.socket.close()
        self.socket = None
        self._input.clear()
        self._output.clear()
        self._expected.clear()
        self._close_descriptors()
        self.due = now() + self._retry
        self._retry = min(self._retry * 2, 5.0)
        if was_up:
            self.entries.append(Gone())

    def close(self) -> None:
        """Ends everything."""
        self.drop()
        self.is_closed = True
        self.entries.clear()
        self.loop.close()
        os.close(self.timer.descriptor)

    def stay_up(self) -> None:
        """lulld knows the program."""
        self.is_up, self.is_registering, self._retry = True, False, 0.01

    def _close_descriptors(self) -> None:
        while self._descriptors:
            os.close(self._descriptors.pop())

    # Sending.

    def ask(self, verb: str, fields: dict[str, Value], descriptor: int | None = None) -> dict[str, str]:
        """Sends a request and waits for its answer."""
        if self.is_closed:
            raise Ended("the program has left")
        if not self.socket or self.is_registering:
            raise Lost("lulld is away, and is looked for")
        self._send(verb, fields, descriptor)
        self._expected.append("awaited")
        reply = self._await(self.socket)
        if reply.verb == "ok":
            return reply.fields
        text = reply.fields.get("message", reply.fields.get("code", "refused"))
        own = ".".join(map(str, VERSION))
        if self.daemon_version not in ("", own):
            text += f" (lulld is {self.daemon_version}, python3-lull is {own})"
        raise Refused(reply.fields.get("code", ""), text)

    def tell(self, verb: str, fields: dict[str, Value], descriptor: int | None = None,
             use: str | int = "ignored") -> None:
        """Sends a request that is not waited for; nothing while lulld is away. `use`: `registration`, or the
        ticket of a `done`."""
        if self.socket and (self.is_up or use == "registration"):
            try:
                self._send(verb, fields, descriptor)
                self._expected.append(use)
            except (Lost, ValueError):
                pass

    def _send(self, verb: str, fields: dict[str, Value], descriptor: int | None) -> None:
        try:
            line = _grammar.write(verb, fields)
        except ValueError as error:
            raise Refused("too-long", str(error)) from error
        if descriptor is None:
            self._output += line
            if len(self._output) > _WAITING:
                self.drop()
        else:
            # A descriptor travels with the first byte of its line, and behind no other line.
            until = now() + PATIENCE
            while self._output and self.socket and wait_for(self.socket, select.POLLOUT, until):
                self.flush()
            if self.socket and not self._output:
                self._output += line[self._send_with(self.socket, line, descriptor):]
        self.flush()
        if not self.socket:
            raise Lost("the connection to lulld was lost")

    def _send_with(self, link: socket.socket, line: bytes, descriptor: int) -> int:
        while True:
            try:
                return socket.send_fds(link, [line], [descriptor], socket.MSG_NOSIGNAL)
            except BlockingIOError:
                if wait_for(link, select.POLLOUT, now() + PATIENCE):
                    continue
                self.drop()
            except ConnectionError:
                self.drop()
            return len(line)

    def flush(self) -> None:
        """Sends what waits, as far as there is room."""
        try:
            while self._output and self.socket:
                del self._output[: self.socket.send(self._output, socket.MSG_NOSIGNAL)]
                self.due = now() + PATIENCE
        except BlockingIOError:
            pass
        except OSError:
            self.drop()
        if self.socket:
            self.loop.modify(self.socket, _READ | (select.EPOLLOUT if self._output else 0))

    # Receiving.

    def _await(self, link: socket.socket) -> Line:
        until = now() + PATIENCE
        is_late = False
        while True:
            self.receive()
            if self._reply:
                reply, self._reply = self._reply, None
                return reply
            if not self.socket:
                raise Lost("the connection to lulld was lost")
            # A program that was frozen while it waited finds its answer after the time is over.
            if is_late:
                self.drop()
                raise TimedOut("lulld did not answer in 5 s")
            is_late = not wait_for(link, select.POLLIN | (select.POLLOUT if self._output else 0), until)
            self.flush()

    def receive(self) -> None:
        """Reads what has come, without waiting."""
        for _ in range(64):
            if not self.socket or self._reply:
                return
            # The rest of a line whose descriptor has come is read alone: the next line may have one as well.
            most = 1 if self._descriptors else 65536
            try:
                data, descriptors, flags, _ = socket.recv_fds(
                    self.socket, most, 4, socket.MSG_DONTWAIT | socket.MSG_CMSG_CLOEXEC)
            except BlockingIOError:
                return
            except OSError:
                data, descriptors, flags = b"", [], 0
            self._descriptors += descriptors
            # The kernel drops a descriptor for which the program has no room.
            if flags & socket.MSG_CTRUNC:
                data = b""
            try:
                if data and self._take(data):
                    continue
            except _grammar.Malformed:
                pass
            self.drop()
            self.is_foreign = bool(data)

    def _take(self, data: bytes) -> bool:
        """False when the other end is no lulld, or out of step. A descriptor belongs to the line of the last
        byte that came with it."""
        self._input += data
        *lines, rest = self._input.split(b"\n")
        self._input = rest
        for index, text in enumerate(lines):
            if len(text) >= _grammar.LONGEST:
                return False
            is_last = index == len(lines) - 1 and not rest
            if text.rstrip(b"\r") and not self._take_line(_grammar.parse(bytes(text)), is_last):
                return False
        return len(rest) < _grammar.LONGEST and len(self.entries) < 10000

    def _take_line(self, line: Line, has_descriptor: bool) -> bool:
        if line.verb == "event":
            descriptor = self._descriptors.pop() if has_descriptor and self._descriptors else None
            self.entries.append(Notice(line.notice, line.fields, descriptor))
            return True
        if line.verb == "item":
            if self.on_item:
                self.on_item(line.fields)
            return True
        if line.verb not in ("ok", "error") or not self._expected:
            return False
        use = self._expected.popleft()
        if use == "awaited":
            self._reply = line
        elif use == "registration":
            if line.verb == "error":
                return False
            self.stay_up()
            self.on_registered(line.fields)
            self.entries.append(Back())
        elif isinstance(use, int):
            self.entries.append(DoneReceived(use))
        return True

    def settle(self, deadline: float = 0.0) -> None:
        """Sets the timer to what is due next; `deadline` is the program's own."""
        if self.is_closed:
            return
        moments = [moment for moment in (deadline, self.due) if moment]
        if self.is_up and not self._output:
            moments = [deadline] if deadline else []
        self.timer.arm(1e-6 if self.entries else min(moments, default=0.0))

    @property
    def is_stuck(self) -> bool:
        """lulld does not take what is sent."""
        return self.is_up and bool(self._output)


def wait_for(link: socket.socket, events: int, until: float) -> bool:
    """Waits until a connection has something, or room; False after the moment."""
    poll = select.poll()
    poll.register(link, events)
    return bool(poll.poll(max(0.0, (until - now()) * 1000)))


