"""One wait: the program and the process outside, and what both have said."""
import os
import signal
import socket
import subprocess
import time
from pathlib import Path


class Case:
    def __init__(self, name: str, id: str, group: str, work: Path):
        self.name, self.id, self.group, self.work = name, id, group, work
        self.folder = work / id
        self.host = self.run = self.outside = self.listener = self.connection = self.pid = None
        self.is_asleep, self.refusal = False, None
        # Of the clock CLOCK_MONOTONIC, in seconds.
        self.waiting = self.ready = self.caused = self.done = self.due = self.seen = None
        self.cut = self.died = None
        # What the journal tells of it, each with its time.
        self.story = []
        # Where it was when it happened: asleep, or why not.
        self.was_asleep, self.reason = False, None

    def start(self, host, loop) -> None:
        self.host, self.loop = host, loop
        self.folder.mkdir()
        narrow = self.work / "narrow"
        if narrow.exists():
            (self.folder / "narrow").symlink_to(narrow)
        self.listener = socket.create_server(("127.0.0.1", 0))
        loop.listen(self.listener, self.accept)
        self.outside = subprocess.Popen(
            self.words("outside"), cwd=self.folder, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        loop.add(self.outside.stdout, self.hear)

    def words(self, side: str) -> list[str]:
        return [str(self.work / "waits"), side, self.name, self.id, str(self.listener.getsockname()[1])]

    def accept(self) -> None:
        self.connection, _ = self.listener.accept()
        self.loop.selector.unregister(self.listener)
        self.listener.close()
        self.loop.add(self.connection, self.hear)

    def hear(self, line: str | None) -> None:
        word, _, rest = (line or "").partition(" ")
        now = time.monotonic()
        if word == "listening":
            self.run = subprocess.Popen(
                self.host.words(self) + self.words("inside"), cwd=self.folder, stdin=subprocess.DEVNULL,
                stdout=open(self.folder / "log", "wb"), stderr=subprocess.STDOUT,
                env=self.host.environment)
        elif word == self.id:
            self.pid = int(rest)
        elif word in ("waiting", "ready", "done"):
            setattr(self, word, now)
        elif word in ("caused", "due", "seen"):
            setattr(self, word, int(rest) / 1e9)
        elif word in ("cut", "died"):
            setattr(self, word, rest)

    @property
    def is_set_up(self) -> bool:
        is_one = self.group == "timers"
        return self.is_told or self.waiting is not None and (is_one or self.ready is not None)

    @property
    def is_told(self) -> bool:
        return (self.seen or self.cut or self.died) is not None

    @property
    def is_settled(self) -> bool:
        if self.is_told or self.is_asleep or not self.host.floor:
            return True
        return self.refusal is not None and time.monotonic() - (self.waiting or 0) > 6

    @property
    def moment(self) -> float | None:
        """When it can be seen."""
        moments = [moment for moment in (self.caused, self.due) if moment is not None]
        return max(moments, default=None)

    @property
    def allowed(self) -> float:
        """So much later it may be seen: a timer at the floor, an answer at a tick of 1 s after one more tick.
        The look that finds that a server has not answered yet interrupts its wait once (EINTR), and the wait
        begins anew."""
        if self.group == "timers" and self.host.floor:
            return self.host.floor + 1
        return 1.1 if self.name == "answers-at-ticks" and self.host.floor else 0.1

    @property
    def is_over(self) -> bool:
        moment = self.moment
        # A program may have seen the end before the one outside has said that this is it.
        if self.is_told and (self.done or self.caused is None):
            return True
        return moment is not None and time.monotonic() > moment + self.allowed + 5

    def note(self) -> None:
        self.was_asleep, self.reason = self.is_asleep, self.refusal

    def fire(self, loop) -> None:
        """Lets it happen, and waits for a moment: those that are late are heard later."""
        loop.wait(lambda: self.is_told or not self.host.floor or self.is_asleep or self.refusal, 3)
        self.note()
        if self.is_told or self.ready is None:
            return
        self.outside.stdin.write(b"g")
        self.outside.stdin.flush()
        if loop.wait(lambda: self.is_told or self.done is not None, 5):
            loop.wait(lambda: self.is_told, 0.15)

    def stop(self) -> None:
        if self.pid is not None and self.run.poll() is None:
            try:
                os.kill(self.pid, signal.SIGKILL)
            except ProcessLookupError:
                pass
        for file in filter(None, [self.listener, self.connection, self.outside and self.outside.stdout]):
            if file.fileno() >= 0:
                self.loop.forget(file)
                file.close()
        for process in filter(None, [self.outside, self.run]):
            if process.stdin:
                process.stdin.close()
        for process in filter(None, [self.outside, self.run]):
            try:
                process.wait(5)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
