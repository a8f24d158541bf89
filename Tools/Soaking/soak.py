"""One soak: a daemon, its programs, traffic, faults one after the other, checks."""

import asyncio
import os
import random
from contextlib import asynccontextmanager

import control
import pressure
import processes
from commands import (
    BaresipProgram, EchoProgram, NetcatProgram, NginxProgram, NodeProgram, RedisProgram)
from installed import InstalledProgram
from library import PhoneProgram
from probe import Probe
from programs import PATIENCE
from report import Counts
from sound import SoundProgram, start_sink
from violation import Violation


class Soak:
    def __init__(self, world, seed, kinds):
        self.world, self.seed, self.kinds = world, seed, kinds
        # Two, so that the choice of faults is the same however long an answer took.
        self.chance, self.traffic = random.Random(seed), random.Random(seed + 1)
        self.counts = Counts()
        self.deaths, self.lone_deaths, self.hangs, self.settled = [], [], [], []
        self.programs, self.talks, self.probe, self.turn = [], [], None, None
        self.doubts = []
        self.current, self.is_over = "the start", False
        self.failure = asyncio.get_running_loop().create_future()

    def cast(self):
        """The programs that take part."""
        for number in range(6):
            yield PhoneProgram(self, f"phone{number}", offload=number % 3 == 2)
        for number in range(2):
            yield PhoneProgram(self, f"run-phone{number}", attached=True)
        for number in range(5):
            yield EchoProgram(self, f"echo{number}", attached=number > 2)
        for kind, name in ((RedisProgram, "redis"), (NginxProgram, "nginx"), (BaresipProgram, "baresip"),
                           (NetcatProgram, "netcat")):
            for number in range(2):
                yield kind(self, f"{name}{number}", attached=number > 0)
        for kind in (EchoProgram, RedisProgram, NginxProgram, NodeProgram):
            yield kind(self, f"adopted-{kind.__name__.removesuffix('Program').lower()}", adopted=True)
        for number in range(2):
            yield InstalledProgram(self, f"installed{number}")
        yield SoundProgram(self, "noise", "/dev/urandom")
        yield SoundProgram(self, "silence", "/dev/zero")

    def fail(self, violation):
        """Ends the soak; only the first one counts."""
        if not self.failure.done():
            self.failure.set_exception(violation)

    def leave(self):
        """From now on everything may end."""
        self.failure.cancel()
        for program in self.programs:
            program.is_ending = True

    async def start(self):
        await start_sink(self.world)
        await self.start_daemon()
        self.probe = await Probe.start(self.world, lambda: self.current)
        everybody = list(self.cast())
        for part in range(0, len(everybody), 8):
            self.programs += everybody[part:part + 8]
            await asyncio.gather(*(program.start() for program in self.programs[part:]))
        self.talks = [asyncio.create_task(self.talk(program)) for program in everybody]

    async def start_daemon(self):
        """Unless one answers already."""
        if await control.daemon_pid(self.world, 0.3) is None:
            await self.world.spawn(self.world.lull("lull-guard"), log="guard")
        await self.answering("its start")

    async def answering(self, after):
        """Until a daemon answers."""
        if await control.daemon_pid(self.world, PATIENCE) is None:
            found = {role: [(pid, processes.state(pid)) for pid in pids]
                     for role, pids in processes.find(self.world).items()}
            raise Violation(f"no daemon answers {PATIENCE} s after {after}: {found}")

    @asynccontextmanager
    async def unprobed(self):
        """A hang that the soak has made is no turn of the loop."""
        self.probe.pause()
        try:
            yield
        finally:
            self.probe.go_on()

    async def talk(self, program):
        """Random traffic: bursts within milliseconds, and pauses in which the program falls asleep."""
        while not self.is_over:
            longest = self.traffic.choice([0.01, 0.1, 1.0, 1.0, 4.0])
            await asyncio.sleep(self.traffic.uniform(0, longest))
            if program.channels and not program.is_ending:
                await self.traffic.choice(program.channels).burst(self.traffic)

    def send(self, number, pids):
        """A process may have ended meanwhile."""
        for pid in pids:
            try:
                os.kill(pid, number)
                self.counts.signals += 1
            except ProcessLookupError:
                self.world.log(f"{pid} went before signal {int(number)}")

    async def status_command(self):
        """Asks for the status, as a person does who finds that something is wrong."""
        process = await self.world.spawn(self.world.lull("lull"), "status", log="status")
        try:
            async with asyncio.timeout(PATIENCE):
                await process.wait()
        except TimeoutError:
            process.kill()
            raise Violation(f"`lull status` has not ended after {PATIENCE} s") from None

    async def audio(self):
        """The pid of lull-audio, once it runs."""
        for _ in range(20 * PATIENCE):
            if found := processes.find(self.world)["audio"]:
                return found
            await asyncio.sleep(0.05)
        raise Violation(f"two programs play, and there is no lull-audio after {PATIENCE} s")

    def expect_lost_runs(self):
        """Each `lull run` is killed; what it has started goes on."""
        for program in self.programs:
            program.has_lost_run = program.attached

    def doubt(self, program, violation):
        """What may be broken rightly is looked into; nothing else waits for that."""
        self.doubts = [task for task in self.doubts if not task.done()]
        self.doubts.append(asyncio.create_task(self.look_into(program, violation)))

    async def look_into(self, program, violation):
        """A program that lulld has purged for want of memory is started again; else it is a violation."""
        try:
            if not await pressure.was_purged(self, program):
                raise violation
            async with program.changing:
                if program.is_ending:
                    await self.renew(program)
        except Violation as found:
            self.fail(found)

    async def settle(self):
        """Until nothing is in doubt."""
        await asyncio.gather(*self.doubts)

    async def renew(self, program):
        await program.end()
        await program.gone()
        await program.start()

    async def begin_anew(self):
        """No daemon is left that knows the programs. They go on and nothing of theirs may break. Then the new
        daemon takes them over, and those whose `lull run` was killed are started again."""
        await asyncio.sleep(self.chance.uniform(0.2, 1))
        await self.start_daemon()
        lost = [program for program in self.programs if program.has_lost_run]
        self.counts.restarts += len(lost)

        async def again(program):
            async with program.changing:
                program.close()
                await program.destroy()
                await program.start()

        returning = [program for program in self.programs if not program.has_lost_run]
        await asyncio.gather(*map(again, lost), self.rejoined(returning))

    async def rejoined(self, programs):
        """Until the new daemon knows them. One question for all of them: a flood is another fault."""
        loop = asyncio.get_running_loop()
        limit = loop.time() + PATIENCE
        while missing := [program for program in programs if not program.is_ending]:
            try:
                known = await control.programs(self.world)
            except control.Refused:
                known = {}
            programs = [program for program in missing if not program.rejoins(known.get(program.name, {}))]
            if programs and loop.time() > limit:
                raise Violation(f"{programs[0].name} has not returned after {PATIENCE} s")
            await asyncio.sleep(0.1)
