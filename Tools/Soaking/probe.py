"""The longest turn of the daemon's loop, as C/probe.c measures it beside the soak."""

import asyncio

from control import parse


class Probe:
    """`current` tells which fault it is that a long turn met."""

    def __init__(self, process, world, current):
        self.process, self.world, self.current = process, world, current
        self.last, self.long = None, []
        self.reader = asyncio.create_task(self.read())

    @classmethod
    async def start(cls, world, current):
        pipe = asyncio.subprocess.PIPE
        process = await world.spawn(world.tool("probe"), world.socket, stdin=pipe, stdout=pipe)
        return cls(process, world, current)

    async def read(self):
        async for line in self.process.stdout:
            text = line.decode().strip()
            self.world.log(f"probe: {text}")
            self.last = parse("probe " + text)
            if "turn" in self.last:
                self.long.append((int(self.last["turn"]), self.current(), text.partition(" in ")[2]))

    def pause(self):
        self.process.stdin.write(b"p")

    def go_on(self):
        self.process.stdin.write(b"r")

    async def figures(self):
        """Ends it; what it has found, in microseconds, or None."""
        self.process.stdin.close()
        try:
            async with asyncio.timeout(5):
                await self.reader
        except TimeoutError:
            return None
        found = self.last or {}
        return {key: int(found[key]) for key in ("samples", "longest", "raw")} if "samples" in found else None
