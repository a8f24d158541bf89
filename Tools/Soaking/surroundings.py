"""Faults around Lull's processes: `lull run`, sound, descriptors, the clock."""

import asyncio
import os
import resource
import signal
import time

from faults import fault, go_on, pids


def attached(soak):
    """The programs that a `lull run` is attached to."""
    return [program for program in soak.programs if program.attached and program.process]


@fault("kill-run", 5)
async def kill_run(soak):
    """Its program is told to end: that is what closing a connection means. Then it is started again."""
    program = soak.chance.choice(attached(soak))
    program.close()
    soak.send(signal.SIGKILL, [program.process.pid])
    async with program.changing:
        await soak.renew(program)


@fault("stop-run", 5)
async def stop_run(soak):
    program = soak.chance.choice(attached(soak))
    soak.send(signal.SIGSTOP, [program.process.pid])
    await asyncio.sleep(soak.chance.uniform(0.1, 1.5))
    await go_on([program.process.pid])


@fault("kill-audio", 6)
async def kill_audio(soak):
    soak.send(signal.SIGKILL, await soak.audio())


@fault("stop-audio", 4)
async def stop_audio(soak):
    targets = await soak.audio()
    soak.send(signal.SIGSTOP, targets)
    await asyncio.sleep(soak.chance.uniform(0.1, 2))
    await go_on(targets)


@fault("descriptors", 4, kills=False)
async def descriptors(soak):
    """lulld gets no further descriptor, or hardly one, for a while."""
    daemon = (await pids(soak, "daemon"))[0]
    try:
        before = resource.prlimit(daemon, resource.RLIMIT_NOFILE)
        highest = max(map(int, os.listdir(f"/proc/{daemon}/fd")))
        spare = soak.chance.choice([0, 1, 2, 5])
        resource.prlimit(daemon, resource.RLIMIT_NOFILE, (highest + 1 + spare, before[1]))
        await asyncio.sleep(soak.chance.uniform(0.3, 2))
        resource.prlimit(daemon, resource.RLIMIT_NOFILE, before)
    except ProcessLookupError:
        soak.world.log("lulld went while its descriptors were counted")


@fault("clock", 3, kills=False)
async def clock(soak):
    """CLOCK_REALTIME jumps by up to two seconds, and back after at most one."""
    jump = soak.chance.choice([-1, 1]) * soak.chance.uniform(0.2, 2)
    pause = soak.chance.uniform(0.1, 1)
    try:
        time.clock_settime(time.CLOCK_REALTIME, time.clock_gettime(time.CLOCK_REALTIME) + jump)
    except PermissionError:
        soak.counts.not_permitted.add("clock")
        return
    try:
        await asyncio.sleep(pause)
    finally:
        time.clock_settime(time.CLOCK_REALTIME, time.clock_gettime(time.CLOCK_REALTIME) - jump)
