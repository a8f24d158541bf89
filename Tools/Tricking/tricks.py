"""Started by Tools/tricks, which see; the programs are in PATH."""
import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent / "Seeking"))

from players import await_path
from seeks import configuration, start, start_sink
from trick import TRICKS


def times(environment: dict[str, str]) -> dict[str, tuple[float, float]]:
    status = subprocess.run(
        ["lull", "status", "--json"], env=environment, stdin=subprocess.DEVNULL, capture_output=True,
        timeout=10)
    return {
        program["name"]: (program["asleepSeconds"], program["awakeSeconds"])
        for program in json.loads(status.stdout)["programs"]
    }


def try_all(names: list[str], seconds: int, work: Path, environment: dict[str, str]) -> bool:
    """All at once: who sleeps disturbs nobody."""
    runs = [
        subprocess.Popen(
            ["lull", "run", "--mode", "audio" if name == "alone" else "audio,voip", "--name", name, "--",
             sys.executable, "-B", str(Path(__file__).parent / "trick.py"), name],
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=open(work / f"{name}.log", "wb"),
            env=environment)
        for name in names
    ]
    time.sleep(30)
    before = times(environment)
    time.sleep(seconds)
    after = times(environment)
    is_good = True
    for name in names:
        if name not in before or name not in after:
            print(f"{name:16} ended: {(work / f'{name}.log').read_text()[-300:]}")
            is_good = False
            continue
        asleep, awake = (end - begin for begin, end in zip(before[name], after[name]))
        share = asleep / max(asleep + awake, 1e-9)
        is_good = is_good and share >= 0.8
        verdict = "" if share >= 0.8 else "too little"
        print(f"{name:16} asleep {100 * share:5.1f} %   {verdict}".rstrip(), flush=True)
    for run in runs:
        run.terminate()
        run.wait()
    return is_good


class Parser(argparse.ArgumentParser):
    def error(self, message: str):
        self.exit(64, f"tricks: {message}; see Tools/tricks --help\n")


def main() -> int:
    parser = Parser(prog="tricks", add_help=False)
    parser.add_argument("--seconds", type=int, default=60)
    parser.add_argument("--trick", action="append", choices=sorted(TRICKS))
    given = parser.parse_args()
    if not 10 <= given.seconds <= 3600:
        parser.error("--seconds is 10 to 3600")
    with tempfile.TemporaryDirectory() as folder:
        work = Path(folder)
        environment = configuration(work)
        started = [start_sink(work, environment), start(["lulld"], work, environment)]
        try:
            await_path(work / "run" / "control")
            return 0 if try_all(given.trick or list(TRICKS), given.seconds, work, environment) else 1
        finally:
            for process in reversed(started):
                process.terminate()
                process.wait()


if __name__ == "__main__":
    sys.exit(main())
