"""A signal to processes of Lull, and how long it takes until every program runs: measured by C/strike.c."""

import asyncio
import os
from dataclasses import dataclass

from control import parse
from violation import Violation

LIMIT = 15  # seconds
RESCUE_AFTER = 0.5


@dataclass
class Strike:
    frozen: int
    seconds: float
    by: str


async def strike(soak, number, pids, answers=False, rescue=None):
    """Sends signal `number` and waits until every program has run again.

    With `answers` a daemon that answers will do as well: a hang is over then. `rescue` is what a person does
    who finds nothing right: it is called where the programs are still frozen after half a second.
    """
    world = soak.world
    cgroups = [program.cgroup for program in soak.programs if program.cgroup]
    soak.counts.signals += len(pids) if number else 0
    process = await world.spawn(
        world.tool("strike"), world.socket if answers else "-", int(number), LIMIT, *pids, "--", *cgroups,
        stdout=asyncio.subprocess.PIPE)
    reader = asyncio.create_task(process.stdout.read())
    if rescue:
        done, _ = await asyncio.wait([reader], timeout=RESCUE_AFTER)
        if not done:
            soak.counts.rescues += 1
        await rescue()
    text = (await reader).decode().strip()
    await process.wait()
    fields = parse("strike " + text)
    world.log(f"strike {int(number)} at {pids}: {text}")
    if fields["by"] == "none":
        still = [os.path.basename(word.partition("=")[2]) for word in text.split() if "still=" in word]
        raise Violation(f"{len(still)} programs were still frozen after {LIMIT} s: {' '.join(still[:8])}")
    return Strike(int(fields["frozen"]), int(fields["microseconds"]) / 1e6, fields["by"])
