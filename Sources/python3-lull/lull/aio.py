"""The program for asyncio: its events are awaited.

    async with lull.aio.Program("phone") as program:
        async for event in program:
            ...
            program.done()

Calls that ask lulld wait for the answer, which comes within a millisecond. `done` says that everything is
handled, also by the other tasks of the loop: what a StreamReader has buffered nobody sees from outside.
"""

import asyncio
from typing import Any, Self

from . import _program
from ._types import Event


class Program(_program.Program):
    """A program whose events are an asynchronous iterator. A message is answered when it has come."""

    def __init__(self, name: str, **options: Any) -> None:
        self._events: asyncio.Queue[Event | None] = asyncio.Queue()
        self._asyncio = asyncio.get_running_loop()
        super().__init__(name, handler=self._events.put_nowait, **options)
        self._asyncio.add_reader(self.fileno(), self.dispatch)

    def close(self) -> None:
        """Takes the program's leave, which ends the iterator."""
        if not self.is_closed:
            self._asyncio.remove_reader(self.fileno())
            self._events.put_nowait(None)
        super().close()

    def __aiter__(self) -> Self:
        return self

    async def __anext__(self) -> Event:
        event = await self._events.get()
        if event is None:
            raise StopAsyncIteration
        return event

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        self.close()
