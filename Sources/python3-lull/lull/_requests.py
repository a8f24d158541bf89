"""What a program asks for: the keep-alive, wakes, tasks, notifications."""

import dataclasses
from collections.abc import Callable

from . import _notices
from ._channel import Channel, now
from ._grammar import Value
from ._lines import Lines
from ._tickets import Tickets
from ._types import Fetch, FetchResult, Lost, Mode, Notification, Push, Refused


class Requests:
    """The part of a program that asks lulld, and knows what the next one is to be told."""

    def __init__(self, modes: tuple[Mode, ...]) -> None:
        self._modes = modes
        self._channel = Channel()
        self._tickets = Tickets()
        self._lines = Lines(self._channel)
        self._is_dispatching = False
        # By the program's number: the name, and lulld's number.
        self._tasks: dict[int, tuple[str, int]] = {}
        self._last_task = 0
        self._keepalive = self._keepalive_since = self._keepalive_run = self._wake_at = 0.0
        self._fetch: tuple[float, float] | None = None
        self._wanted: str | None = None  # the transition that was asked for while lulld was away

    def _settle(self) -> None:
        """Sets the timer to what is due next."""
        raise NotImplementedError

    def _ask(self, verb: str, fields: dict[str, Value]) -> dict[str, str]:
        try:
            return self._channel.ask(verb, fields)
        finally:
            self._settle()

    def set_keepalive(self, seconds: float) -> None:
        """KeepAlive comes at least once in `seconds`, 600 or more, also asleep; 0 ends it."""
        if 0 < seconds < 600:
            raise Refused("keepalive-too-short", "a keep-alive time-out is at least 600 seconds")
        if seconds > 0 and "voip" not in self._modes:
            raise Refused("wrong-mode", "a keep-alive needs the mode voip")
        self._declared(lambda: self._ask_keepalive(seconds, is_new=False))
        if not self._keepalive:
            self._keepalive_since = now()
        self._keepalive = max(seconds, 0.0)

    def _ask_keepalive(self, seconds: float, is_new: bool) -> None:
        run, since = (int(moment * 1e9) for moment in (self._keepalive_run, self._keepalive_since))
        fields: dict[str, Value] = {
            "timeout": float(seconds), "lastRun": run or None, "since": since if is_new else None}
        self._ask("keepalive", fields if seconds > 0 else {})

    def wake_in(self, seconds: float) -> None:
        """A program that sleeps in `seconds`, 15 or more, is woken then, once, with `timer`; 0 takes that
        back."""
        if seconds > 0 and not 15 <= seconds <= 3153600000:
            raise Refused("bad-value", "a wake is asked for in 15 seconds to 100 years")
        self._declared(lambda: self._ask("wake-in", {"seconds": float(seconds) if seconds > 0 else None}))
        self._wake_at = now() + seconds if seconds > 0 else 0.0

    def set_fetch(self, seconds: float) -> None:
        """Fetch comes when the program may look for new content, no more often than every `seconds`, 900 or
        more; 0 ends it. It needs the mode `fetch`."""
        self._declared(lambda: self._ask("fetch", {"seconds": float(seconds) if seconds > 0 else None}))
        self._fetch = (seconds, now()) if seconds > 0 else None

    def fetched(self, event: Fetch | Push, result: FetchResult = "new-data") -> None:
        """The fetch or the push is over."""
        self._declared(lambda: self._ask("fetched", {"ticket": event.ticket, "result": result}))

    def begin_task(self, name: str) -> int:
        """Begins a task: the program does not sleep before `end_task`. All together have 600 s in a stay in
        the background."""
        number = 0
        try:
            number = int(self._ask("begin-task", {"name": name})["task"])
        except Lost:
            pass
        self._last_task += 1
        self._tasks[self._last_task] = (name, number)
        # lulld forgets the last `done`.
        self._tickets.is_owed = self._tickets.highest is not None
        return self._last_task

    def end_task(self, task: int) -> None:
        """Ends a task; a number that is none does nothing."""
        number = self._tasks.pop(task, ("", 0))[1]
        if number:
            self._channel.tell("end-task", {"task": number})
        self._settle()

    def remaining(self) -> float | None:
        """The seconds after which the program may sleep if it begins no task; None: no limit runs.

        These are 10 after a wake and in a keep-alive, but `task_remaining` while a task is open.
        """
        return self._remaining("seconds")

    def task_remaining(self) -> float | None:
        """The seconds that are left for tasks in this stay in the background; None: no limit runs."""
        return self._remaining("taskSeconds")

    def _remaining(self, field: str) -> float | None:
        seconds = self._ask("remaining", {}).get(field)
        return None if seconds is None else float(seconds)

    def present(self, notification: Notification, replaces: int | None = None) -> int:
        """Shows a notification now; returns its number, which Action has."""
        content = dataclasses.replace(notification, at=None, repeat=None, zone=None)
        fields = _notices.fields(content)
        fields["replaces"] = replaces
        return int(self._ask("present", fields).get("notification", 0))

    def schedule(self, notification: Notification, delay: float = 0) -> int:
        """Shows a notification at its date `at`, or in `delay` seconds, and again by `repeat`."""
        fields = _notices.fields(notification, float(delay))
        return int(self._ask("schedule", fields).get("notification", 0))

    def cancel(self, notification: int | None = None) -> int:
        """Takes a notification back, shown or waiting, or all of them; returns how many were."""
        fields: dict[str, Value] = {"all": notification is None, "notification": notification}
        return int(self._ask("cancel", fields).get("count", 0))

    def scheduled(self, all: bool = False) -> dict[int, Notification]:
        """The notifications that wait, and with `all` those that are shown."""
        found: dict[int, Notification] = {}

        def take(item: dict[str, str]) -> None:
            if item.get("kind") == "notification":
                found[int(item["notification"])] = _notices.content(item)

        self._channel.on_item = take
        try:
            self._ask("scheduled", {"all": all})
        finally:
            self._channel.on_item = None
        return found

    def enter_background(self) -> None:
        """Sends the program to the background, as its user would."""
        self._turn("background")

    def request_foreground(self) -> None:
        """Asks for the foreground."""
        self._turn("foreground")

    def _declared(self, ask: Callable[[], object]) -> None:
        """What a lulld that is away is told when it is back."""
        try:
            ask()
        except Lost:
            pass

    def _declare_all(self) -> None:
        """Tells the next lulld what the last one knew; raises Lost when that is gone too."""
        if self._keepalive:
            self._ask_keepalive(self._keepalive, is_new=True)
        if self._wake_at:
            self._ask("wake-in", {"seconds": max(self._wake_at - now(), 15.0)})
        if self._fetch:
            self._ask("fetch", {"seconds": float(self._fetch[0]), "since": int(self._fetch[1] * 1e9)})
        for task, (name, number) in list(self._tasks.items()):
            if number:
                continue
            try:
                self._tasks[task] = (name, int(self._ask("begin-task", {"name": name})["task"]))
            except Refused:
                pass  # a task that is refused keeps nobody awake

    def _turn(self, verb: str) -> None:
        if self._channel.is_up:
            self._channel.tell(verb, {})
        else:
            self._wanted = verb
