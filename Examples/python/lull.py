"""A client of lulld in Python's standard library alone: what docs/PROTOCOL.md says, from a program's side.

    lull = Lull("echo", modes="voip", wake=woken)
    lull.hold(connection)
    lull.run(selector)

A program declares the sockets that may wake it (`hold`), and says after each event that it has handled it
(`done`, which `run` does). It is frozen while nothing happens, and runs on where there is no lulld.
"""

import json
import os
import re
import selectors
import socket


class Refused(Exception):
    """The daemon's answer `error`."""

    def __init__(self, fields):
        super().__init__(f"{fields.get('code')}: {fields.get('message')}")
        self.code = fields.get("code")


def socket_path():
    """The rule for the place of the daemon's socket."""
    folder = os.environ.get("LULL_RUNTIME_DIR")
    if not folder and os.getuid() == 0:
        folder = "/run/lull"
    if not folder and os.environ.get("XDG_RUNTIME_DIR"):
        folder = os.environ["XDG_RUNTIME_DIR"] + "/lull"
    return (folder or f"/tmp/lull-{os.getuid()}") + "/control"


def quoted(value):
    """A value as the protocol writes it."""
    text = "true" if value is True else str(value)
    if re.fullmatch(r'[^\x00-\x20\x7f"=\\]+', text):
        return text
    escapes = {'"': '\\"', "\\": "\\\\"}
    return '"' + re.sub(r'["\\\x00-\x1f\x7f]', lambda m: escapes.get(m[0], f"\\u{ord(m[0]):04x}"), text) + '"'


def parsed(line):
    """A line as (verb, fields); the verb of a notice is its name. The escapes are those of JSON."""
    verb, _, rest = line.partition(" ")
    if verb == "event":
        verb, _, rest = rest.partition(" ")
    fields = re.findall(r'([A-Za-z][A-Za-z0-9-]*)(?:=("(?:[^"\\]|\\.)*"|[^ "]*))?', rest)
    return verb, {key: json.loads(value) if value[:1] == '"' else value or "true" for key, value in fields}


class Lull:
    """A program's connection to lulld. `wake`, `keepalive`, `expire`, `action`, `received` and `deliver` are
    called with the fields of the notice of that name."""

    def __init__(self, name, modes="voip", **handlers):
        self.name, self.modes, self.handlers = name, modes, handlers
        self.held, self.lines, self.notices, self.rest = {}, {}, [], b""
        self.link, self.timeout = None, None
        self.connect(launch="background")

    def connect(self, **how):
        """Connects and registers; False when there is no lulld."""
        link = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        try:
            link.connect(socket_path())
        except (FileNotFoundError, ConnectionRefusedError):
            link.close()
            return False
        self.link, self.rest, self.notices = link, b"", []
        self.ask("register", name=self.name, modes=self.modes, **how)
        return True

    def resume(self):
        """Comes back to a daemon that was restarted: the lines and the keep-alive are declared again. The
        daemon then tells of a wake, whose `done` lets the program sleep."""
        if not self.connect(resume="background"):
            return False
        self.lines = {}
        for one, fields in list(self.held.items()):
            self.hold(one, **fields)
        if self.timeout:
            self.set_keepalive(self.timeout)
        return True

    def send(self, verb, fields, descriptor=None):
        """Sends a request. The descriptor travels with the first byte of its line."""
        line = " ".join([verb] + [f"{key}={quoted(value)}" for key, value in fields.items()]) + "\n"
        if descriptor is None:
            self.link.sendall(line.encode())
        else:
            sent = socket.send_fds(self.link, [line.encode()], [descriptor])
            self.link.sendall(line.encode()[sent:])

    def ask(self, verb, descriptor=None, **fields):
        """Sends a request and returns the fields of its `ok`; nothing without lulld. Notices that come in
        between are kept."""
        if self.link is None:
            return {}
        self.send(verb, fields, descriptor)
        while True:
            for answer, reply in self.hear():
                if answer == "error":
                    raise Refused(reply)
                return reply

    def hear(self):
        """Waits for lines of the daemon: keeps notices, and returns answers. Raises ConnectionError at its
        end."""
        more = self.link.recv(65536)
        if not more:
            raise ConnectionError("lulld is gone")
        *lines, self.rest = (self.rest + more).split(b"\n")
        answers = []
        for line in lines:
            verb, fields = parsed(line.decode())
            (answers if verb in ("ok", "error") else self.notices).append((verb, fields))
        return answers

    def hold(self, one, **fields):
        """Declares a socket that may wake the program."""
        self.held[one] = fields
        reply = self.ask("hold", one.fileno(), fd=one.fileno(), **fields)
        if reply:
            self.lines[reply["line"]] = one

    def release(self, one):
        """Takes a declaration back, before the socket is closed."""
        self.held.pop(one, None)
        for line in [line for line, held in self.lines.items() if held is one]:
            del self.lines[line]
            self.ask("release", line=line)

    def set_keepalive(self, seconds):
        """`keepalive` is called every so many seconds, 600 or more."""
        self.timeout = seconds
        self.ask("keepalive", timeout=seconds)

    def begin_task(self, name):
        """Keeps the program awake until `end_task`, for at most 10 minutes; returns the task."""
        return self.ask("begin-task", name=name).get("task")

    def end_task(self, task):
        if task:
            self.ask("end-task", task=task)

    def present(self, body, **fields):
        """Shows a notification; `action` is called with what the user chose."""
        return self.ask("present", body=body, **fields).get("notification")

    def run(self, selector):
        """Serves for ever. A key's `data` is called with its socket."""
        while True:
            try:
                self.serve(selector)
            except ConnectionError:
                # The program runs on, and looks for the next daemon.
                if self.link.fileno() in selector.get_map():
                    selector.unregister(self.link)
                self.link.close()
                self.link, self.notices = None, []

    def serve(self, selector):
        """Waits once, and handles what came."""
        if self.link and self.link.fileno() not in selector.get_map():
            selector.register(self.link, selectors.EVENT_READ, self)
        # Notices that came with an answer make no socket readable.
        patience = 0 if self.notices else None if self.link else 1
        ready = [key for key, _ in selector.select(patience)]
        for key in ready:
            if key.data is not self:
                key.data(key.fileobj)
        if self.link is None:
            self.resume()
        elif any(key.data is self for key, _ in selector.select(0)):
            # Asked anew: a handler that asked the daemon has read what made the link readable.
            self.hear()
        # One notice after the other: those that come meanwhile wait in their order.
        while self.notices:
            self.answer(*self.notices.pop(0), selector)

    def answer(self, name, fields, selector):
        """Calls the handler of a notice, and says what the daemon waits for."""
        if name == "wake":
            # What woke the program is handled before the wake is answered.
            for key, _ in selector.select(0):
                if key.data is not self:
                    key.data(key.fileobj)
        handler = self.handlers.get(name)
        if handler:
            handler(fields)
        ticket = fields.get("ticket")
        if name == "deliver":
            self.ask("did", ticket=ticket)
            if fields["message"] == "didEnterBackground":
                self.ask("done", ticket=ticket)
        elif name in ("wake", "keepalive", "action"):
            self.ask("done", ticket=ticket)
        elif name == "prepare":
            for line, one in self.lines.items():
                self.ask("handover", one.fileno(), line=line, ticket=ticket)
            self.ask("ready", ticket=ticket)
