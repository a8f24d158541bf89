"""Started by Tools/waits, which see; the programs are in PATH."""
import argparse
import difflib
import signal
import subprocess
import sys
import tempfile
from pathlib import Path

from case import Case
from host import Bare, Lull
from judge import verdict
from loop import Loop

# So many wait at once.
TOGETHER = 160
# What needs the processor comes when nothing else is measured.
BUSY = ["pressure", "work-in-naps"]


def build(work: Path) -> dict[str, str]:
    """The waits by name, each with its group."""
    here = Path(__file__).parent
    sources = [str(path) for path in sorted(here.glob("*.c")) if path.name != "narrow.c"]
    flags = ["-std=gnu11", "-O1", "-Wall", "-Wextra", "-Werror"]
    subprocess.run(["cc", *flags, "-pthread", *sources, "-lrt", "-o", work / "waits"], check=True)
    listed = subprocess.run([work / "waits", "list"], check=True, capture_output=True, text=True).stdout
    groups = dict(line.split() for line in listed.splitlines())
    narrow = "-m32 -O1 -nostdlib -static -ffreestanding -fno-stack-protector -fno-pie -no-pie".split()
    compiled = subprocess.run(
        ["cc", *narrow, here / "narrow.c", "-o", work / "narrow"], capture_output=True, text=True)
    if compiled.returncode:
        print(f"32-bit: not tried, the compiler cannot: {compiled.stderr.splitlines()[-1:]}", flush=True)
        del groups["32-bit"]
    return groups


def run_all(cases: list[Case], hosts: dict, loop: Loop) -> None:
    for case in cases:
        case.start(hosts.get(case.name) or hosts[case.group], loop)
    loop.wait(lambda: all(case.is_set_up for case in cases), 40)
    events = [case for case in cases if case.group != "timers"]
    loop.wait(lambda: all(case.is_settled for case in events), 15)
    for case in sorted(events, key=lambda case: case.name in BUSY and 1 + BUSY.index(case.name)):
        case.fire(loop)
    loop.wait(lambda: all(case.is_over for case in cases), 40)


class Parser(argparse.ArgumentParser):
    def error(self, message: str):
        self.exit(64, f"waits: {message}; see Tools/waits --help\n")


def main() -> int:
    parser = Parser(prog="waits", add_help=False)
    parser.add_argument("--bare", action="store_true")
    parser.add_argument("--count", type=int, default=1)
    parser.add_argument("--wait", action="append")
    given = parser.parse_args()
    # What was started ends with this.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    if not 1 <= given.count <= 1000:
        parser.error("--count is 1 to 1000")
    # The folders of the waits hold addresses of sockets: their paths are short.
    with tempfile.TemporaryDirectory(prefix="waits") as folder:
        work = Path(folder)
        groups = build(work)
        for name in given.wait or []:
            if name not in groups:
                near = " or ".join(difflib.get_close_matches(name, groups)) or "one of Tools/Waiting/*.c"
                parser.error(f"there is no wait {name}: {near} was meant?")
        cases = [
            Case(name, f"{name}-{index}" if given.count > 1 else name, groups[name], work)
            for index in range(given.count) for name in given.wait or groups
        ]
        loop = Loop()
        hosts = {}
        faults = []
        try:
            if given.bare:
                hosts = dict.fromkeys(groups.values(), Bare())
            else:
                # The wakes of one daemon do not show another one what is due.
                common = Lull("common", work, loop)
                hosts = dict.fromkeys(groups.values(), common)
                if any(case.group == "timers" for case in cases):
                    hosts["timers"] = Lull("timers", work, loop)
                    hosts["alarm-default"] = Lull("default", work, loop, rate=60)
            for first in range(0, len(cases), TOGETHER):
                some = cases[first:first + TOGETHER]
                try:
                    run_all(some, hosts, loop)
                finally:
                    for case in some:
                        case.stop()
                for case in some:
                    is_good, text = verdict(case)
                    print(f"{case.id:20} {text}", flush=True)
                    if not is_good:
                        faults.append((case, text))
        finally:
            for host in set(hosts.values()):
                host.stop()
    for case, text in faults:
        print(f"\n{case.id}: {text}")
        for time, words in case.story[-20:]:
            print(f"{time - (case.moment or time):+9.3f} s  {words}")
    print(f"{len(cases) - len(faults)} of {len(cases)} as they should be")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
