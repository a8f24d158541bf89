"""A program's handle: its registration, its turn (`dispatch`), and what it asks for."""

import os
import selectors
from collections.abc import Callable
from typing import Any

from . import _launch, _lines, _notices
from ._channel import PATIENCE, Gone, now
from ._grammar import Value
from ._lines import HasFileno, Line, RestoredLine
from ._requests import Requests
from ._tickets import Word
from ._types import (
    Event, Launch, LineType, Lost, LullError, Mode, Offload, Refused, State, Suspension, Unavailable,
)

Handler = Callable[[Event], None]


class Program(Requests):
    """A program and its connection to lulld, which is started first if none runs.

    `handler` is called in `dispatch`, once for each event. `foreground`: the launch leads to the foreground.
    `alone`: where no lulld can be started the program runs on as it is, and lulld is looked for; otherwise
    that raises Unavailable. A program belongs to one thread; a child of fork() must not use it.
    """

    def __init__(
        self, name: str, *, modes: tuple[Mode, ...] = ("voip",), handler: Handler | None = None,
        foreground: bool = False, profile: str | None = None, exits_on_suspend: bool = False,
        batch_wakes: float = 0, accessories: tuple[str, ...] = (), schemes: tuple[str, ...] = (),
        stays_in_memory: bool = False, keeps_lines: bool = False, purgeable: bool = False,
        alone: bool = False,
    ) -> None:
        super().__init__(modes)
        self.name, self.handler = name, handler
        self.state: State = "background"
        self.launch = Launch()
        self._registration: dict[str, Value] = {
            "modes": modes, "launch": "foreground" if foreground else "background", "profile": profile,
            "resume": None, "exitsOnSuspend": exits_on_suspend,
            "batchWakes": float(batch_wakes) if batch_wakes else None,
            "accessory": accessories or None, "schemes": schemes or None,
            "noCompact": stays_in_memory, "keepLines": keeps_lines, "purgeable": purgeable,
        }
        self._suspension, self._wakes_machine = "none", False
        self._channel.on_registered = self._registered
        self._notices = _notices.Notices(self)
        self._restored: list[RestoredLine] = []
        self._restored_until = 0.0
        try:
            self._start(alone)
        except LullError:
            self._channel.close()
            raise

    # The start.

    def _start(self, alone: bool) -> None:
        if len(self.name.encode()) > 64:
            raise Refused("bad-value", "a program has a name of at most 64 bytes")
        try:
            self._connect()
        except Unavailable:
            if not alone:
                raise
            self._channel.drop()
            self._channel.entries.append(Gone())
            self._note_launch(os.environ)
        else:
            self._register()
        self._restored = _lines.inherited()
        self._restored_until = now() + 60 if self._restored else 0.0
        self._settle()

    def _connect(self) -> None:
        try:
            self._channel.connect()
        except Unavailable:
            _launch.launch()
            self._channel.connect()

    def _register(self) -> None:
        """A lulld that ends before it has answered is lost as one that ends later."""
        self._channel.is_up = True
        try:
            self._channel.daemon_version = self._channel.ask("hello", {}).get("version", "")
            reply = self._channel.ask("register", {"name": self.name, **self._registration})
        except Lost:
            if self._channel.is_foreign:
                raise Refused("unknown-verb", "what listens at the control socket is no lulld") from None
            self._note_launch(os.environ)
            return
        self._channel.stay_up()
        self._registered(reply)
        self._note_launch({f"LULL_LAUNCH_{key}": reply.get(field, "") for key, field in _LAUNCH.items()})

    def _registered(self, reply: dict[str, str]) -> None:
        self.name = reply.get("name", self.name)
        self._suspension = reply.get("suspender", "none")
        self._wakes_machine = reply.get("wakesMachine") == "true"

    def _note_launch(self, words: Any) -> None:
        reason, line, url = (words.get(f"LULL_LAUNCH_{key}") or None for key in _LAUNCH)
        self.launch = Launch(reason or "user", line, url)
        is_shown = self.launch.reason in ("user", "url", "notification")
        is_foreground = is_shown and self._registration["launch"] == "foreground"
        self.state = "inactive" if is_foreground else "background"

    # The loop.

    def fileno(self) -> int:
        """Readable while `dispatch` has something to do; for every loop on poll."""
        return self._channel.loop.fileno()

    @property
    def is_closed(self) -> bool:
        return self._channel.is_closed

    @property
    def daemon_version(self) -> str:
        """The version of the lulld that was there at the start."""
        return self._channel.daemon_version

    @property
    def suspension(self) -> Suspension:
        """What suspends the program, as lulld said at the registration; "none" while lulld is away."""
        if not self._channel.is_up or self._suspension not in ("cgroup", "signal"):
            return "none"
        return "cgroup" if self._suspension == "cgroup" else "signal"

    @property
    def wakes_machine(self) -> bool:
        """True when a suspended machine is resumed for its keep-alive and for `wake_in`."""
        return self._channel.is_up and self._wakes_machine

    def dispatch(self) -> None:
        """Hands the events that have come to the handler, and does not wait."""
        if self._is_dispatching or self.is_closed:
            return
        self._is_dispatching = True
        try:
            self._channel.timer.clear()
            self._channel.flush()
            self._channel.receive()
            self._handle_all()
            self._elapse()
            self._handle_all()
        finally:
            self._is_dispatching = False
        if not self.is_closed:
            self._say_done()
            self._notices.hand_over()
            self._settle()

    def run(self, selector: selectors.BaseSelector) -> None:
        """Serves until `close`. A key's `data` is called with its file; `done` is said after each turn."""
        selector.register(self, selectors.EVENT_READ, lambda _: self.dispatch())
        while not self.is_closed:
            for key, _ in selector.select():
                key.data(key.fileobj)
            self.done()

    def _handle_all(self) -> None:
        while self._channel.entries:
            self._notices.handle(self._channel.entries.popleft())

    def _elapse(self) -> None:
        channel, moment = self._channel, now()
        if self._restored and self._restored_until <= moment:
            for line in list(self._restored):
                self.discard(line)
        if self.is_closed or channel.due > moment:
            return
        if channel.is_registering or channel.is_stuck:
            channel.drop()
        elif not channel.is_up:
            self._reconnect()

    def _reconnect(self) -> None:
        try:
            self._channel.connect()
        except LullError:
            self._channel.drop()
            return
        self._channel.is_registering, self._channel.due = True, now() + PATIENCE
        resume = "background" if self.state == "background" else "active"
        fields: dict[str, Value] = {"name": self.name, **self._registration}
        fields["resume"] = resume
        self._channel.tell("register", fields, use="registration")

    def _settle(self) -> None:
        if not self._is_dispatching:
            self._channel.settle(self._restored_until if self._restored else 0.0)

    def _emit(self, event: Event) -> None:
        if self.handler and not self.is_closed:
            self.handler(event)

    def close(self) -> None:
        """Takes the program's leave. Its lines are released; descriptors stay open."""
        if self.is_closed:
            return
        try:
            self._channel.ask("bye", {})
        except LullError:
            pass
        self._channel.close()

    # The word that everything is handled.

    def done(self) -> None:
        """The program has handled everything that has come, and may sleep. To be said at the end of each turn
        of the loop. It is not given while a line has something to read."""
        self._tickets.give()
        self._say()

    def handling(self) -> None:
        """Takes the last `done` back: the program has read something that it handles later."""
        self._tickets.word = Word.UNSAID
        self._say()

    def _say(self) -> None:
        if not self._is_dispatching and not self.is_closed:
            self._say_done()
            self._settle()

    def _say_done(self) -> None:
        tickets, ticket = self._tickets, self._tickets.highest
        if not self._channel.is_up or ticket is None:
            return
        if tickets.word is Word.GIVEN:
            if self._lines.is_readable():
                tickets.word = Word.UNSAID
            else:
                self._channel.tell("done", {"ticket": ticket}, use=ticket)
                tickets.is_owed, tickets.word, tickets.told = False, Word.TOLD, ticket
        # Something came after `done` and before the freeze: from outside nothing shows that it is handled.
        if tickets.word is Word.UNSAID and not tickets.is_owed and self.state == "background":
            self._channel.tell("handling", {"ticket": ticket})
            tickets.is_owed = True

    # Lines.

    def hold(
        self, file: HasFileno, *, type: LineType = "voip", offload: tuple[Offload, ...] = (),
        tcp_keepalive: float | None = None, name: str | None = None, encrypted: bool = False,
    ) -> Line:
        """Lets a socket, or anything that poll takes, wake the program; `release` it before it is closed.
        `name`: the next life of the program finds the line by it. `tcp_keepalive`: seconds."""
        try:
            return self._lines.add(Line(file, type, offload, tcp_keepalive, name, encrypted))
        finally:
            self._settle()

    def release(self, line: Line) -> None:
        """Ends the line; the descriptor stays open."""
        self._lines.remove(line)
        self._settle()

    def set_state(self, line: Line, state: bytes) -> None:
        """The program's own state of a line, at most 4096 bytes that its next life gets with the line."""
        self._lines.set_state(line, state)
        self._settle()

    @property
    def restored(self) -> tuple[RestoredLine, ...]:
        """The lines of the program's last life that nobody has taken or closed."""
        return tuple(self._restored)

    def take(self, restored: RestoredLine) -> Line:
        """Goes on with a restored line, which is held as it was."""
        line = Line(
            restored.file, restored.type, restored.offload, restored.tcp_keepalive, restored.name,
            state=restored.state)
        self._lines.add(line)
        self._restored.remove(restored)
        self._settle()
        return line

    def discard(self, restored: RestoredLine) -> None:
        """Closes a restored line that the program does not want."""
        # lulld lets go of its own duplicate when the line is declared.
        try:
            self.release(self.take(restored))
        except LullError:
            self._restored.remove(restored)
        restored.file.close()


_LAUNCH = {"REASON": "launchReason", "LINE": "line", "URL": "url"}
