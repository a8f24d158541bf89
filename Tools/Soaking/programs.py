"""Programs under Lull: how one is started, spoken to, watched and ended."""

import asyncio
import itertools
import os
import socket

import control
import processes
from violation import Violation
from world import read, write

PATIENCE = 15  # seconds for a start or an end


PORTS = itertools.count(11000, 2)  # below those of outgoing connections; a softphone takes two


def free_port(kind=socket.SOCK_STREAM):
    """Never the same one twice: programs are started beside each other."""
    for port in PORTS:
        with socket.socket(socket.AF_INET, kind) as probe:
            try:
                probe.bind(("127.0.0.1", port))
            except OSError:
                continue
            return port


class Program:
    """A program with its connections. `is_ending`: the soak ends it, so that its connections may break."""

    is_library = False
    modes = "voip"
    is_purgeable = False

    def __init__(self, soak, name, attached=False, adopted=False):
        self.soak, self.world, self.counts = soak, soak.world, soak.counts
        self.name, self.attached, self.adopted = name, attached, adopted
        if adopted:
            self.is_purgeable = False
        self.channels = []
        self.is_ending, self.has_lost_run = False, False
        self.changing = asyncio.Lock()  # it is ended and started by one at a time
        self.purges = set()  # the moments of those that were counted
        self.process = None
        self.leaders = {}
        self.cgroup = None

    def fail(self, violation):
        self.soak.fail(violation)

    def lost(self, violation):
        """It has ended, or a connection to it has: a violation, unless lulld needed its memory."""
        if self.is_purgeable:
            self.is_ending = True
            self.soak.doubt(self, violation)
        else:
            self.fail(violation)

    async def start(self):
        """Starts it and opens its connections."""
        self.channels, self.leaders = [], {}
        self.is_ending = True
        await self.launch()
        await self.connect()
        if self.adopted:
            await self.adopt()
        await self.learn()
        self.is_ending, self.has_lost_run = False, False

    async def launch(self):
        """Under `lull run`, attached or not; what is to be adopted by itself, in a cgroup of its own."""
        if self.adopted:
            os.makedirs(self.home, exist_ok=True)
            self.process = await self.world.spawn(*self.command(), cgroup=self.home, log=self.name)
            return
        words = ["--name", self.name, "--", *self.command()]
        run = [self.world.lull("lull"), "run", "--mode", self.modes]
        if self.is_purgeable:
            run.append("--purgeable")
        if self.attached:
            self.process = await self.world.spawn(*run, *words, log=self.name)
            return
        process = await self.world.spawn(*run, "--detach", *words, log=self.name)
        if await process.wait() != 0:
            raise Violation(f"`lull run --detach` of {self.name} failed: see {self.name}.log")

    @property
    def home(self):
        return f"{self.world.cgroup}/{self.name}"

    async def adopt(self):
        """Its connections are from before."""
        words = ["adopt", "--cgroup", self.home, "--name", self.name, "--mode", self.modes]
        process = await self.world.spawn(self.world.lull("lull"), *words, log=self.name)
        if await process.wait() != 0:
            raise Violation(f"`lull adopt` of {self.name} failed: see {self.name}.log")

    async def open(self, channel, port, datagrams=False):
        """Connects as soon as the program listens."""
        loop = asyncio.get_running_loop()
        limit = loop.time() + PATIENCE
        while True:
            try:
                if datagrams:
                    # Nobody refuses a datagram at once: what comes before the program is there is lost.
                    if f"0100007F:{port:04X} " not in read("/proc/net/udp"):
                        raise OSError("nobody has bound its port")
                    await loop.create_datagram_endpoint(lambda: channel, remote_addr=("127.0.0.1", port))
                else:
                    await loop.create_connection(lambda: channel, "127.0.0.1", port)
                break
            except OSError as error:
                if loop.time() > limit:
                    raise Violation(f"{self.name} does not listen after {PATIENCE} s: {error}") from None
                await asyncio.sleep(0.02)
        self.channels.append(channel)

    async def learn(self):
        """Asks the daemon where the program is, and who its processes are."""
        limit = asyncio.get_running_loop().time() + PATIENCE
        while asyncio.get_running_loop().time() < limit:
            try:
                item = (await control.programs(self.world)).get(self.name, {})
            except control.Refused:
                item = {}
            if item.get("cgroup") and item.get("pids"):
                self.cgroup = self.world.mount + item["cgroup"]
                self.leaders = {int(pid): processes.start_time(pid) for pid in item["pids"].split(",")}
                return
            await asyncio.sleep(0.05)
        raise Violation(f"`lull status` does not know {self.name} {PATIENCE} s after its start")

    def rejoins(self, item):
        """Learns the cgroup that a new daemon has for it. False when that does not know it yet."""
        if item.get("cgroup") and item.get("pids"):
            self.cgroup = self.world.mount + item["cgroup"]
            return True
        return False

    def is_frozen(self):
        """True when the kernel says so."""
        return read(self.cgroup + "/cgroup.freeze").strip() == "1" if self.cgroup else False

    def check_alive(self):
        """Nobody has ended it, nor the `lull run` that it is attached to."""
        for pid, started in self.leaders.items():
            if started is not None and processes.start_time(pid) != started and not self.is_ending:
                self.lost(Violation(f"a process of {self.name} ({pid}) ended, and nobody has ended it"))
        lasts = not self.is_ending and not self.has_lost_run
        if self.process and self.process.returncode is not None and lasts:
            what = f"status {self.process.returncode}: see {self.name}.log"
            self.lost(Violation(f"{'lull run of ' if self.attached else ''}{self.name} ended with {what}"))

    def unprinted(self):
        """For how many seconds a line that it has to print has not been printed."""
        return 0.0

    def check_progress(self):
        """Raises Violation when it does not do what it does without any traffic."""

    async def end(self):
        """Ends it, by the daemon where that knows it, and by the kernel where nobody does."""
        self.close()
        try:
            await control.ask(self.world, f"quit name={self.name}")
        except control.Refused:
            pass
        await self.destroy()

    def close(self):
        self.is_ending = True
        for channel in self.channels:
            channel.close()

    async def destroy(self):
        for _ in range(40):
            if self.cgroup is None or "populated 1" not in read(self.cgroup + "/cgroup.events"):
                break
            if _ >= 20:
                write(self.cgroup + "/cgroup.kill", "1")
            await asyncio.sleep(0.05)
        if self.process and self.process.returncode is None:
            try:
                async with asyncio.timeout(3):
                    await self.process.wait()
            except TimeoutError:
                self.process.kill()
                await self.process.wait()
        self.process = None

    async def gone(self):
        """Until the daemon has forgotten it, so that its name is free."""
        for _ in range(10 * PATIENCE):
            try:
                if self.name not in await control.programs(self.world):
                    return
            except control.Refused:
                pass
            await asyncio.sleep(0.1)
        raise Violation(f"{self.name} was ended, and `lull status` still tells of it after {PATIENCE} s")
