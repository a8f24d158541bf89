"""A program on python3-lull by hand: it is told the calls of Tests/Support/c-client, and says the same."""

import os
import selectors
import socket
import sys

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "../../../Sources/python3-lull"))
sys.dont_write_bytecode = True
import lull  # noqa: E402
from lull._version import VERSION  # noqa: E402

# The words of the numbers in lull_types.h.
MODES = {1: "voip", 2: "audio", 4: "external-accessory", 8: "fetch", 16: "remote-notification"}
FLAGS = {4: "exits_on_suspend", 8: "stays_in_memory", 16: "keeps_lines", 32: "purgeable"}
OFFLOADS = {1: "line", 2: "crlf", 4: "udp-keepalive", 8: "stun"}
MESSAGES = [
    "", "willFinishLaunching", "didFinishLaunching", "didBecomeActive", "willResignActive",
    "didEnterBackground", "willEnterForeground", "willTerminate",
]
WAKES = [
    "other", "data", "closed", "error", "accept", "keepalive", "notification", "accessory", "operator",
    "child", "writable", "unfrozen", "refill", "timer", "signal", "network", "resumed", "url", "lock",
    "location", "bluetooth", "fetch", "push",
]
LAUNCHES = ["user", "url", "notification", "data", "keepalive", "boot", "crash", "fetch", "push"]
CHANGES = ["network", "time", "zone", "power", "route", "accessory", "settings", "memory", "lock"]
STATES = ["notRunning", "inactive", "active", "background"]
CODES = {
    "name-in-use": -4, "wrong-mode": -5, "not-pollable": -6, "no-background-time": -8, "unknown-verb": -12,
}


def bits(words, number):
    return tuple(word for bit, word in words.items() if int(number) & bit)


def say(*words):
    print(*words, flush=True)


def code(error):
    if isinstance(error, lull.Refused):
        return -7 if error.code.startswith("too-many-") else CODES.get(error.code, -9)
    kinds = {lull.Unavailable: -1, lull.Lost: -2, lull.TimedOut: -3, lull.Ended: -11}
    return kinds.get(type(error), -10)


class Client:
    def __init__(self):
        self.selector = selectors.DefaultSelector()
        self.selector.register(0, selectors.EVENT_READ, self.hear)
        self.program, self.held, self.automatic, self.text = None, {}, True, b""
        self.other_ends = []

    def open(self, name, modes, flags, schemes=None, accessories=None):
        flags = int(flags)
        self.program = lull.Program(
            name, modes=bits(MODES, modes), handler=self.emit, foreground=bool(flags & 1),
            profile="ios7" if flags & 2 else None, schemes=tuple(schemes.split(",")) if schemes else (),
            accessories=tuple(accessories.split(",")) if accessories else (),
            **{word: True for word in bits(FLAGS, flags)})
        self.selector.register(self.program, selectors.EVENT_READ, self.dispatch)
        return 0, self.program.name

    def emit(self, event):
        match event:
            case lull.Message(name):
                say("event message", MESSAGES.index(name))
                if name == "willTerminate":
                    self.close()
            case lull.Wake(reason, line):
                say("event wake", WAKES.index(reason), line.fileno() if line else -1)
            case lull.KeepAlive():
                say("event keepalive")
            case lull.Fetch():
                self.fetch = event
                say("event fetch")
            case lull.Push(_, payload, title):
                say("event push", f"{title or '-'}: {payload.decode()}")
                self.program.fetched(event)
            case lull.Expire(task):
                say("event expire", task)
            case lull.Action(notification, action):
                say("event action", notification, action)
            case lull.Open(url):
                say("event open", url)
            case lull.Received(notification, content):
                say("event received", notification, content.body)
            case lull.Changed(what):
                say("event changed", sum(1 << CHANGES.index(word) for word in what))
            case lull.LineLost(line, error):
                say("event line-lost", line.fileno(), error)
            case lull.Away():
                say("event lost")
            case _:
                say("event", type(event).__name__.lower())

    def call(self, word, *words):
        program = self.program
        match word:
            case "open":
                return self.open(*words)
            case "dial":
                return self.add(socket.create_connection(("127.0.0.1", int(words[0])))),
            case "pair":
                ends = socket.socketpair()
                self.other_ends.append(ends[1])
                return self.add(ends[0]),
            case "pass":
                return self.held.setdefault(int(words[0]), [Raw(int(words[0])), None]) and (0,)
            case "hold":
                one = self.held[int(words[0])]
                offload = bits(OFFLOADS, words[2]) if len(words) > 2 else ()
                probes = float(words[3]) if len(words) > 3 else None
                name = words[1] if len(words) > 1 else None
                one[1] = program.hold(one[0], offload=offload, tcp_keepalive=probes, name=name)
                self.selector.register(one[0], selectors.EVENT_READ, self.read)
            case "state":
                program.set_state(self.held[int(words[0])][1], "".join(words[1:]).encode())
            case "release":
                self.let_go(int(words[0]))
            case "keepalive":
                program.set_keepalive(float(words[0]))
            case "fetch":
                program.set_fetch(float(words[0]))
            case "fetched":
                program.fetched(self.fetch, ["new-data", "no-data", "failed"][int(words[0])])
            case "wake-in":
                program.wake_in(float(words[0]))
            case "task":
                return program.begin_task(words[0]),
            case "end":
                program.end_task(int(words[0]))
            case "remaining":
                times = program.remaining(), program.task_remaining()
                return 0, *(f"{-1 if left is None else left:.0f}" for left in times)
            case "suspension":
                number = ["none", "cgroup", "signal"].index(program.suspension)
                return number, f"wakes={int(program.wakes_machine)}"
            case "notify":
                return self.notify(*words),
            case "cancel":
                return program.cancel(int(words[0]) or None),
            case "scheduled":
                found = program.scheduled(all=bool(words))
                for number, one in found.items():
                    say("item", number, one.body, f"at={one.at or 0:.0f}")
                return len(found),
            case "background":
                program.enter_background()
            case "foreground":
                program.request_foreground()
            case "done":
                program.done()
            case "handling":
                program.handling()
            case "manual" | "auto":
                self.automatic = word == "auto"
            case "restored":
                for one in program.restored:
                    say("item", one.name or "-", one.state.decode())
            case "descriptors":
                return len(os.listdir("/proc/self/fd")) - 1,
            case "launch":
                why, state = program.launch, STATES.index(program.state)
                return 0, f"{LAUNCHES.index(why.reason)} {why.line or '-'} {why.url or '-'} state={state}"
            case "version":
                return 0, ".".join(map(str, VERSION)) + " " + program.daemon_version
            case "close":
                self.close()
                self.program = None
            case "exit":
                if program:
                    program.close()
                sys.exit(0)
        return 0,

    def notify(self, body, action=None, delay=None, repeat=None):
        one = lull.Notification(body, action=action, repeat=repeat)
        return self.program.schedule(one, float(delay)) if delay else self.program.present(one)

    def add(self, file):
        self.held[file.fileno()] = [file, None]
        return file.fileno()

    def let_go(self, number):
        file, line = self.held.pop(number)
        self.selector.unregister(file)
        self.program.release(line)
        file.close()

    def hear(self, _):
        data = os.read(0, 16384)
        if not data:
            sys.exit(0)
        *lines, self.text = (self.text + data).split(b"\n")
        for line in lines:
            try:
                say("=", *self.call(*line.decode().split()))
            except (lull.LullError, OSError) as error:
                say("=", code(error), error)

    def read(self, file):
        data = file.recv(256)
        if data == b"ping\n":
            file.sendall(b"pong\n")
        say("bytes", file.fileno(), data.decode().rstrip("\n"))
        if not data:
            self.let_go(file.fileno())

    def dispatch(self, program):
        program.dispatch()
        if program.is_closed:
            sys.exit(0)

    def close(self):
        self.selector.unregister(self.program)
        self.program.close()

    def run(self):
        while True:
            for key, _ in self.selector.select():
                key.data(key.fileobj)
            if self.program and self.automatic:
                self.program.done()


class Raw:
    """A descriptor that may be none."""

    def __init__(self, number):
        self.number = number

    def fileno(self):
        return self.number


if __name__ == "__main__":
    Client().run()
