"""The rules that hold after each fault, and all the time."""

import asyncio
import os
import signal

import control
import processes
from violation import Violation
from world import read

RIGHT = 1.0  # the figure, in seconds
PATIENCE = 10.0  # a violation: so much more that a busy machine is no reason
SEEN = 15.0


async def state_right(soak):
    """Until the daemon's `status` says of each program what the kernel says; the seconds that this took.

    A program may fall asleep or wake between the two looks: each has to be right once.
    """
    loop = asyncio.get_running_loop()
    start, wrong, why = loop.time(), {program.name: program for program in soak.programs}, {}
    while wrong:
        try:
            known = await control.programs(soak.world)
        except control.Refused as error:
            known, why = {}, {name: str(error) for name in wrong}
        for name, program in list(wrong.items()):
            if program.is_ending:
                del wrong[name]
                continue
            item = known.get(name)
            frozen = program.is_frozen()
            if item and (item["state"] == "suspended") == frozen:
                del wrong[name]
            elif known:
                why[name] = f"status says {item['state'] if item else 'nothing'}, frozen is {int(frozen)}"
        if wrong and loop.time() - start > PATIENCE:
            name = next(iter(wrong))
            raise Violation(f"the state of {len(wrong)} programs is wrong after {PATIENCE:.0f} s: "
                            f"{name}: {why.get(name)}")
        if wrong:
            await asyncio.sleep(0.02)
    for item in known.values():
        soak.counts.count_wakes(item["name"], int(item.get("wakes", 0)))
    return loop.time() - start


async def after_fault(soak, name):
    """Every rule, once the fault is over."""
    await soak.answering(name)
    took = await state_right(soak)
    soak.settled.append(took)
    for program in soak.programs:
        program.check_alive()
    for pid in processes.find(soak.world)["daemon"]:
        soak.counts.memory = max(soak.counts.memory, processes.peak_memory(pid))


async def watch(soak):
    """All the time: what was sent is answered, what was started lives."""
    while True:
        await asyncio.sleep(0.2)
        for program in soak.programs:
            if program.is_ending:
                continue
            program.check_progress()
            for channel in program.channels:
                if channel.overdue() > SEEN:
                    raise Violation(f"{channel} has not answered {channel.waits_for} bytes for {SEEN:.0f} s "
                                    f"({situation(soak, program)})")
            if program.unprinted() > SEEN:
                raise Violation(f"{program.name} has not printed a line for {SEEN:.0f} s "
                                f"({situation(soak, program)})")


def situation(soak, program):
    """The first question of a reader: is the program frozen, and who lives?"""
    found = processes.find(soak.world)
    alive = ", ".join(f"{role} {pid} {processes.state(pid)}" for role in ("guard", "daemon")
                      for pid in found[role])
    return f"frozen {int(program.is_frozen())}; {alive or 'neither guard nor daemon'}"


async def note_scene(soak):
    """Writes down for the kept folder how everybody stood when the rule did not hold."""
    for role, pids in processes.find(soak.world).items():
        soak.world.log(f"{role}: {[(pid, processes.state(pid)) for pid in pids]}")
    for program in soak.programs:
        events = read(f"{program.cgroup}/cgroup.events").split() if program.cgroup else "nowhere"
        pids = read(f"{program.cgroup}/cgroup.procs").split() if program.cgroup else []
        soak.world.log(f"{program.name}: frozen {int(program.is_frozen())} {events} {pids} "
                       f"{[read(f'/proc/{pid}/wchan') for pid in pids]}, waits for "
                       f"{[channel.waits_for for channel in program.channels]}")
    try:
        for item in await control.ask(soak.world, "status", 3):
            soak.world.log(f"status: {item}")
        for item in await control.ask(soak.world, "log", 3):
            soak.world.log(f"log: {item}")
    except control.Refused as error:
        soak.world.log(str(error))


async def in_good_order(soak):
    """SIGTERM to the guard: every program runs, and no process of Lull but `lull run` is left."""
    found = processes.find(soak.world)
    for pid in found["guard"]:
        os.kill(pid, signal.SIGTERM)
    for _ in range(int(PATIENCE / 0.05)):
        left = processes.find(soak.world)
        if not any(left[role] for role in ("guard", "daemon", "audio")):
            break
        await asyncio.sleep(0.05)
    else:
        raise Violation(f"{dict(left)} have not ended {PATIENCE:.0f} s after SIGTERM to lull-guard")
    for program in soak.programs:
        if program.is_frozen():
            raise Violation(f"{program.name} is frozen after lulld was ended by SIGTERM")
