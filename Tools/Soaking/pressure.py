"""The fault of short memory, by hand: `lull purge`."""

import asyncio

import processes
from faults import fault
from violation import Violation

PATIENCE = 15  # seconds: one that runs has 5 s to end


@fault("purge", 5, kills=False)
async def purge(soak):
    """A program that may be purged ends, with all that it was, whether it sleeps or runs.

    A command loses its connections for this and is started again here. What keeps its lines over its end is
    launched by lulld itself, and its connections must not break: such a program needs no restart.
    """
    programs = [program for program in soak.programs if program.is_purgeable]
    if not programs or not processes.find(soak.world)["daemon"]:
        return
    program = soak.chance.choice(programs)
    program.close()
    process = await soak.world.spawn(soak.world.lull("lull"), "purge", program.name, log="purge")
    try:
        async with asyncio.timeout(PATIENCE):
            status = await process.wait()
    except TimeoutError:
        process.kill()
        raise Violation(f"`lull purge {program.name}` has not ended after {PATIENCE} s") from None
    if status != 0:
        raise Violation(f"`lull purge {program.name}` failed with status {status}: see purge.log")
    await soak.restart(program)
