"""Programs on the library: lull-phone, which speaks the line protocol to a server in the soak."""

import asyncio

import protocols
from programs import PATIENCE, Program
from violation import Violation


class PhoneProgram(Program):
    """A lull-phone that registers by itself, or one that `lull run` has started."""

    is_library = True

    def __init__(self, soak, name, attached=False, offload=False):
        super().__init__(soak, name, attached)
        self.offload = offload
        self.lines = 0
        self.to_print = []
        self.printer = None

    def line_to_print(self):
        """A line that is no ping: the phone prints it and does not answer."""
        self.lines += 1
        line = f"line-{self.lines}"
        self.to_print.append((line, asyncio.get_running_loop().time()))
        return line.encode() + b"\n"

    async def launch(self):
        loop = asyncio.get_running_loop()
        self.to_print, self.connections = [], asyncio.Queue()
        self.server = await loop.create_server(self.accepted, "127.0.0.1", 0)
        port = self.server.sockets[0].getsockname()[1]
        words = [self.world.lull("lull-phone"), "127.0.0.1", port, "--name", self.name, "--keep-alive", 3600]
        words += ["--offload"] if self.offload else []
        run = [self.world.lull("lull"), "run", "--name", self.name, "--"] if self.attached else []
        self.process = await self.world.spawn(
            *run, *words, stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.STDOUT)
        self.printer = asyncio.create_task(self.read_output(self.process))

    def accepted(self):
        if self.channels:
            self.fail(Violation(f"{self.name} connected once more: its connection had broken"))
        channel = protocols.Pings(self, "line protocol")
        self.channels.append(channel)
        return channel

    async def connect(self):
        limit = asyncio.get_running_loop().time() + PATIENCE
        while not self.channels:
            if asyncio.get_running_loop().time() > limit:
                raise Violation(f"{self.name} does not connect within {PATIENCE} s")
            await asyncio.sleep(0.02)

    async def read_output(self, process):
        """Each line that was sent to be printed is printed, once and in its order."""
        with open(f"{self.world.folder}/{self.name}.log", "ab", buffering=0) as log:
            async for line in process.stdout:
                log.write(line)
                if line.startswith(b"Received: line-"):
                    expected = self.to_print.pop(0)[0] if self.to_print else None
                    if line[10:].decode().strip() != expected:
                        self.fail(Violation(f"{self.name} printed {line!r}, where {expected} had to come"))

    def unprinted(self):
        """For how many seconds the oldest line has not been printed."""
        return asyncio.get_running_loop().time() - self.to_print[0][1] if self.to_print else 0.0

    def close(self):
        super().close()
        self.server.close()

    async def end(self):
        await super().end()
        if self.printer:
            self.printer.cancel()
