"""The faults: signals to its processes, alone and together. `FAULTS` has each kind."""

import asyncio
import os
import signal
from dataclasses import dataclass
from typing import Callable

import processes
from strike import strike
from violation import Violation

FAULTS = {}


@dataclass
class Fault:
    name: str
    weight: int
    act: Callable
    kills: bool


def fault(name, weight, kills=True):
    """Registers a kind of fault; it is chosen `weight` times as often as one of weight 1."""

    def register(act):
        FAULTS[name] = Fault(name, weight, act, kills)
        return act

    return register


async def pids(soak, *roles):
    """The processes with these roles. One that is being replaced is waited for."""
    for _ in range(200):
        found = processes.find(soak.world)
        if all(found[role] for role in roles):
            return [pid for role in roles for pid in found[role]]
        await asyncio.sleep(0.05)
    raise Violation(f"there is no {' and '.join(roles)} after 10 s: only {dict(found)}")


@fault("kill-daemon", 30)
async def kill_daemon(soak):
    soak.deaths.append(await strike(soak, signal.SIGKILL, await pids(soak, "daemon")))


@fault("kill-guard", 12)
async def kill_guard(soak):
    guards = await pids(soak, "guard")
    soak.send(signal.SIGKILL, guards)
    for _ in range(200):
        if set(processes.find(soak.world)["guard"]) - set(guards):
            return
        await asyncio.sleep(0.05)
    raise Violation("lull-guard was killed, and 10 s later there is no other one")


@fault("stop-daemon", 15)
async def stop_daemon(soak):
    async with soak.unprobed():
        soak.hangs.append(await strike(soak, signal.SIGSTOP, await pids(soak, "daemon"), answers=True))
        await soak.answering("a stop of lulld")


@fault("stop-guard", 6)
async def stop_guard(soak):
    guards = await pids(soak, "guard")
    soak.send(signal.SIGSTOP, guards)
    await asyncio.sleep(soak.chance.uniform(0.1, 2))
    await go_on(guards)


@fault("stop-both", 4)
async def stop_both(soak):
    """Nobody is left to notice it but the next `lull`."""
    async with soak.unprobed():
        targets = await pids(soak, "guard", "daemon")
        soak.send(signal.SIGSTOP, targets)
        await asyncio.sleep(soak.chance.uniform(0, 1))
        waiting = asyncio.create_task(strike(soak, 0, targets, answers=True))
        await soak.status_command()
        soak.hangs.append(await waiting)
        await soak.answering("a stop of lulld and lull-guard and `lull status`")


@fault("stop-guard-kill-daemon", 3)
async def stop_guard_kill_daemon(soak):
    guards, daemons = await pids(soak, "guard"), await pids(soak, "daemon")
    soak.send(signal.SIGSTOP, guards)
    soak.lone_deaths.append(await strike(soak, signal.SIGKILL, daemons, rescue=soak.status_command))
    await go_on(guards)


@fault("stop-daemon-kill-guard", 3)
async def stop_daemon_kill_guard(soak):
    async with soak.unprobed():
        guards, daemons = await pids(soak, "guard"), await pids(soak, "daemon")
        soak.send(signal.SIGSTOP, daemons)
        soak.lone_deaths.append(
            await strike(soak, signal.SIGKILL, guards, answers=True, rescue=soak.status_command))
        await go_on(daemons)
        await soak.answering("a stop of lulld with its guard killed")


@fault("kill-both", 4)
async def kill_both(soak):
    targets = await pids(soak, "guard", "daemon")
    soak.lone_deaths.append(await strike(soak, signal.SIGKILL, targets, rescue=soak.status_command))
    await soak.begin_anew()


@fault("kill-all", 2)
async def kill_all(soak):
    """Every process of Lull at once, as when memory ends."""
    targets = [pid for group in processes.find(soak.world).values() for pid in group]
    soak.expect_lost_runs()
    soak.lone_deaths.append(await strike(soak, signal.SIGKILL, targets, rescue=soak.status_command))
    await soak.begin_anew()


@fault("loop-daemon", 1)
async def loop_daemon(soak):
    """lulld never comes back from a turn."""
    daemon = (await pids(soak, "daemon"))[0]
    hang = await soak.world.spawn(soak.world.tool("hang"), daemon, log="hang")
    async with soak.unprobed():
        waiting = asyncio.create_task(strike(soak, 0, [daemon]))
        if await hang.wait() == 0:
            soak.hangs.append(await waiting)
        else:
            waiting.cancel()


async def go_on(targets):
    """Continues what nobody else has continued."""
    for pid in targets:
        if processes.state(pid) == "T":
            os.kill(pid, signal.SIGCONT)
