"""Short memory: the fault `purge`, by hand, and what lulld does by itself when memory is short."""

import asyncio

import control
import processes
from faults import fault
from violation import Violation

PATIENCE = 15  # seconds: one that runs has 5 s to end


async def was_purged(soak, program):
    """True when the journal has a purge of the program that nobody asked for, and that was not counted."""
    limit = asyncio.get_running_loop().time() + PATIENCE
    while asyncio.get_running_loop().time() < limit:
        try:
            entries = await control.ask(soak.world, f"log name={program.name} last=1000")
        except control.Refused:
            await asyncio.sleep(0.1)
            continue
        new = {entry["at"]: entry["detail"] for entry in entries
               if entry.get("what") == "purged" and "held " in entry.get("detail", "")
               and entry["at"] not in program.purges}
        for detail in new.values():
            soak.world.log(f"{program.name} was purged for want of memory: {detail}")
        program.purges |= set(new)
        soak.counts.purges += len(new)
        return bool(new)
    return False


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
    async with program.changing:
        await purge_now(soak, program)


async def purge_now(soak, program):
    program.close()
    process = await soak.world.spawn(soak.world.lull("lull"), "purge", program.name, log="purge")
    try:
        async with asyncio.timeout(PATIENCE):
            status = await process.wait()
    except TimeoutError:
        process.kill()
        raise Violation(f"`lull purge {program.name}` has not ended after {PATIENCE} s") from None
    if status != 0 and not await was_purged(soak, program):
        raise Violation(f"`lull purge {program.name}` failed with status {status}: see purge.log")
    await soak.renew(program)
