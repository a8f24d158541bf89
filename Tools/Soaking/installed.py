"""Installed programs, and the fault that ends one of them together with lulld."""

import asyncio
import signal

import control
from commands import EchoProgram
from faults import fault, pids
from programs import PATIENCE
from strike import strike
from violation import Violation


class InstalledProgram(EchoProgram):
    """An echo program that is installed: the next daemon knows it, and how it ended."""

    async def launch(self):
        await self.ask_lull("install", self.name, "--replace", "--mode", self.modes, "--", *self.command())

    async def ask_lull(self, *words):
        process = await self.world.spawn(self.world.lull("lull"), *words, log=self.name)
        try:
            async with asyncio.timeout(PATIENCE):
                status = await process.wait()
        except TimeoutError:
            process.kill()
            raise Violation(f"`lull {words[0]} {self.name}` has not ended after {PATIENCE} s") from None
        if status != 0:
            raise Violation(f"`lull {words[0]} {self.name}` failed: see {self.name}.log")

    async def start_again(self):
        """As a person does who sees that it has ended."""
        self.channels, count = [], len(self.leaders)
        await self.ask_lull("start", self.name)
        await self.connect()
        await self.learn()
        if len(self.leaders) != count:
            raise Violation(f"{self.name} has {len(self.leaders)} processes, not {count}: {self.leaders}")
        self.is_ending = False

    async def ends(self):
        """Its ends as the daemon tells them, by their moments."""
        items = await control.ask(self.world, f"status name={self.name} all")
        return {item["at"]: item for item in items if item.get("kind") == "ended"}


@fault("kill-installed", 6)
async def kill_installed(soak):
    """Its end is told once, by whoever has seen it, and one other life begins."""
    program = soak.chance.choice([each for each in soak.programs if isinstance(each, InstalledProgram)])
    async with program.changing:
        program.close()
        before = await program.ends()
        targets = await pids(soak, "daemon") + list(program.leaders)
        soak.deaths.append(await strike(soak, signal.SIGKILL, targets))
        await program.start_again()
        new = [item for at, item in (await program.ends()).items() if at not in before]
        if [item.get("signal") for item in new] != ["9"]:
            raise Violation(f"{program.name} was killed once, and its ends are {new}")
