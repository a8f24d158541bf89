"""Calls of a baresip that sleeps, as notifications: `lull-baresip --help`."""

import argparse
import json
import selectors
import socket
import sys
import time
from dataclasses import dataclass
from typing import Any

import lull

USAGE = """\
usage: lull-baresip [--ctrl ADDRESS:PORT] [--name NAME]
Shows the calls of a baresip that sleeps as notifications, with Answer and Decline, and tells of those that
were missed. baresip needs "module_app ctrl_tcp.so" in its config; start it first, by "lull
run --mode voip". Once: lull run --detach --name calls -- lull-baresip
  --ctrl ADDRESS:PORT  where its ctrl_tcp listens (default 127.0.0.1:4444)
  --name NAME          the name in "lull status", without "lull run --name" (default lull-baresip)
"""

# Each keep-alive lets baresip renew a registration that is due.
KEEP_ALIVE = 600
_LONGEST = 1 << 20


class Trouble(Exception):
    """What the user reads in one line."""


@dataclass
class Call:
    """A call that has come."""

    peer: str
    notification: int
    is_over: bool = False  # it was answered or declined: it is not missed


def netstring(message: dict[str, str]) -> bytes:
    """A command as ctrl_tcp takes it."""
    data = json.dumps(message).encode()
    return b"%d:%b," % (len(data), data)


def split(data: bytes) -> tuple[list[dict[str, Any]], bytes]:
    """The messages at the start of what has come, and the rest; raises Trouble for other bytes."""
    messages: list[dict[str, Any]] = []
    while b":" in data[:8]:
        count, _, rest = data.partition(b":")
        if not count.isdigit() or int(count) > _LONGEST:
            raise Trouble("what listens there is no ctrl_tcp of baresip")
        length = int(count)
        if len(rest) <= length:
            return messages, data
        try:
            messages.append(dict(json.loads(rest[:length])))
        except (ValueError, TypeError) as error:
            raise Trouble("what listens there is no ctrl_tcp of baresip") from error
        data = rest[length + 1:]
    if len(data) > 8:
        raise Trouble("what listens there is no ctrl_tcp of baresip")
    return messages, data


def dial(address: str, patience: float = 3.0) -> socket.socket:
    """A connection to ctrl_tcp. A baresip that has just been started does not listen yet."""
    host, _, port = address.rpartition(":")
    if not port.isdecimal():
        raise Trouble(f"--ctrl {address}: give ADDRESS:PORT")
    until = time.monotonic() + patience
    while True:
        try:
            return socket.create_connection((host.strip("[]"), int(port)), timeout=5)
        except OSError as error:
            if time.monotonic() < until and isinstance(error, ConnectionRefusedError):
                time.sleep(0.1)
                continue
            reason = error.strerror or error
            raise Trouble(
                f"{address}: {reason}: is baresip up, with module_app ctrl_tcp.so in its config?") from error


class Calls:
    """The calls of one baresip."""

    def __init__(self, name: str, address: str) -> None:
        self._control = dial(address)
        self._control.setblocking(True)
        self._selector = selectors.DefaultSelector()
        self._calls: dict[str, Call] = {}
        self._rest = b""
        self._program = lull.Program(name, handler=self._handle)
        self._selector.register(self._control, selectors.EVENT_READ, lambda _: self._read())
        self._program.hold(self._control, name="baresip")
        self._program.set_keepalive(KEEP_ALIVE)

    def run(self) -> None:
        """Serves until lulld asks for its end; raises Trouble when baresip ends."""
        self._program.run(self._selector)

    def _say(self, command: str, params: str | None = None) -> None:
        message = {"command": command} | ({"params": params} if params else {})
        try:
            self._control.sendall(netstring(message))
        except OSError:
            pass  # its end is readable

    def _read(self) -> None:
        try:
            data = self._control.recv(65536)
        except OSError:
            data = b""
        if not data:
            raise Trouble("baresip has ended")
        messages, self._rest = split(self._rest + data)
        for message in messages:
            if message.get("event"):
                self._hear(str(message.get("type")), message)
            elif not message.get("ok", True):
                print(f"baresip: {message.get('data')}", flush=True)

    def _hear(self, kind: str, event: dict[str, Any]) -> None:
        identity = str(event.get("id", ""))
        call = self._calls.get(identity)
        if kind == "CALL_INCOMING":
            peer = str(event.get("peerdisplayname") or event.get("peeruri", ""))
            ringing = lull.Notification(peer, title="Call", action="Answer", sound="default", call=True)
            self._calls[identity] = Call(peer, self._program.present(ringing))
        elif kind == "CALL_ESTABLISHED" and call and not call.is_over:
            # It was taken elsewhere, by baresip's own keys.
            call.is_over = True
            self._program.cancel(call.notification)
        elif kind == "CALL_CLOSED" and call:
            del self._calls[identity]
            if not call.is_over:
                self._program.present(lull.Notification(call.peer, title="Missed call"), call.notification)
        elif kind.startswith("REGISTER_"):
            # Its log is what `lull logs` shows.
            print(kind, event.get("accountaor", ""), event.get("param", ""), flush=True)

    def _handle(self, event: lull.Event) -> None:
        match event:
            case lull.KeepAlive():
                # Bytes wake baresip, whose timers that are overdue run then.
                self._say("reginfo")
            case lull.Action(number, action):
                self._act(number, action)
            case lull.Message("willTerminate"):
                self._program.close()

    def _act(self, number: int, action: str) -> None:
        for identity, call in self._calls.items():
            if call.notification == number and not call.is_over:
                call.is_over = True
                self._say("callfind", identity)
                self._say("hangup" if action == "dismiss" else "accept")


def main() -> int:
    """The program lull-baresip."""
    parser = argparse.ArgumentParser("lull-baresip", add_help=False, usage=USAGE.split("\n")[0][7:])
    parser.add_argument("--ctrl", default="127.0.0.1:4444")
    parser.add_argument("--name", default="lull-baresip")
    parser.add_argument("--help", "-h", action="store_true")
    options = parser.parse_args()
    if options.help:
        print(USAGE, end="")
        return 0
    try:
        Calls(options.name, options.ctrl).run()
    except (Trouble, lull.LullError) as error:
        print(f"lull-baresip: {error}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        pass
    return 0


if __name__ == "__main__":
    sys.exit(main())
