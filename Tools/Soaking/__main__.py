"""Tools/soak: see its --help. Started by that script, which has built what is needed."""

import argparse
import asyncio
import signal
import subprocess
import sys
import time

import checks
import hostile  # noqa: F401 (registers its faults)
import pressure  # noqa: F401 (registers its faults)
import report
import surroundings  # noqa: F401 (registers its faults)
from faults import FAULTS
from programs import PATIENCE
from soak import Soak
from violation import Unable, Violation
from world import World


class Parser(argparse.ArgumentParser):
    def error(self, message):
        print(f"soak: {message}; Tools/soak --help tells more", file=sys.stderr)
        sys.exit(64)


def minutes(text):
    number = float(text)
    if not 0 < number <= 10000:
        raise argparse.ArgumentTypeError(f"{text} is not a number of minutes")
    return number


def arguments():
    parser = Parser(prog="soak", allow_abbrev=False, add_help=False)
    parser.add_argument("--minutes", type=minutes, required=True)
    parser.add_argument("--seed", type=int, default=time.time_ns() % 1_000_000)
    parser.add_argument("--faults", default=",".join(FAULTS))
    parser.add_argument("--keep", action="store_true")
    for name in ("binaries", "tools", "plugin"):
        parser.add_argument(f"--{name}", required=True)
    options = parser.parse_args()
    options.faults = options.faults.split(",")
    for name in options.faults:
        if name not in FAULTS:
            parser.error(f"there is no fault \"{name}\"; there are {', '.join(FAULTS)}")
    return options


async def inject(soak, end):
    """Faults at random moments, one at a time, each followed by every check."""
    kinds = list(soak.kinds.values())
    weights = [kind.weight for kind in kinds]
    await checks.after_fault(soak, "the start")
    while time.monotonic() < end:
        await asyncio.sleep(soak.chance.uniform(0.1, 1.6))
        kind = soak.chance.choices(kinds, weights)[0]
        asleep = sum(program.is_frozen() for program in soak.programs)
        soak.counts.asleep.append(asleep)
        soak.world.log(f"fault {kind.name}, {asleep} asleep")
        soak.current = kind.name
        await kind.act(soak)
        soak.counts.faults[kind.name] += 1
        await checks.after_fault(soak, kind.name)


async def finish(soak):
    """Everything that was sent has been answered; SIGTERM to the guard ends everything in good order."""
    soak.current = "the end"
    soak.is_over = True
    await asyncio.gather(*soak.talks)
    await soak.settle()
    limit = time.monotonic() + PATIENCE
    for program in soak.programs:
        for channel in program.channels:
            while channel.overdue() > 0 and not channel.is_closed:
                if time.monotonic() > limit:
                    raise Violation(f"{channel} has not answered {channel.waits_for} bytes at the end")
                await asyncio.sleep(0.05)
    soak.turn = await soak.probe.figures()
    await checks.in_good_order(soak)


async def perform(soak, minutes):
    await soak.start()
    await inject(soak, time.monotonic() + 60 * minutes)
    await finish(soak)


async def first_of(work, *others):
    """Until the work is done; what any of them raises is raised at once."""
    done, _ = await asyncio.wait([work, *others], return_when=asyncio.FIRST_COMPLETED)
    for task in done:
        task.result()


async def run(world, options):
    """True when every rule held."""
    kinds = {name: FAULTS[name] for name in options.faults}
    soak = Soak(world, options.seed, kinds)
    work = asyncio.create_task(perform(soak, options.minutes))
    watch = asyncio.create_task(checks.watch(soak))
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        asyncio.get_running_loop().add_signal_handler(number, work.cancel)
    try:
        await first_of(work, watch, soak.failure)
    except Violation as violation:
        count = sum(soak.counts.faults.values())
        print(f"soak: violation after {count} faults, at {soak.current}: {violation}\n"
              f"soak: what was written is in {world.folder}; --seed {soak.seed} repeats the choice of faults")
        world.log(f"violation: {violation}")
        await checks.note_scene(soak)
        return False
    finally:
        for task in (work, watch, *soak.talks, *soak.doubts):
            task.cancel()
        soak.leave()
        await world.end()
    for line in report.lines(soak, options.minutes):
        print(line)
    return True


def main():
    options = arguments()
    if sys.version_info < (3, 11):
        sys.exit("soak: it needs Python 3.11 or later")
    try:
        subprocess.run(["ip", "link", "set", "lo", "up"], check=False)
        world = World(options.binaries, options.tools, options.plugin)
    except (Unable, OSError) as error:
        sys.exit(f"soak: {error}")
    good = None  # not known: it was not run to its end
    try:
        good = asyncio.run(run(world, options))
    except Unable as error:
        print(f"soak: {error}", file=sys.stderr)
    except asyncio.CancelledError:
        print("soak: ended by a signal", file=sys.stderr)
    finally:
        world.remove(keep=options.keep or good is False)
    sys.exit(0 if good else 1)


main()
