"""Where the programs run: under a daemon of their own, or without Lull."""
import json
import math
import os
import subprocess
import time
from pathlib import Path


class Bare:
    floor = 0.0

    def words(self, case) -> list[str]:
        return []

    environment = dict(os.environ)

    def stop(self) -> None:
        pass


class Lull:
    def __init__(self, name: str, work: Path, loop, rate: int = 1):
        self.cases = {}
        self.options = ["--timers", "5"] if rate == 1 else []
        # In seconds: the least time between two wakes for own timers.
        self.floor = 5.0 if rate == 1 else 600 / rate
        self.environment = dict(os.environ)
        self.environment.pop("DBUS_SESSION_BUS_ADDRESS", None)
        for word in ["HOME", "XDG_RUNTIME_DIR", "XDG_STATE_HOME", "LULL_RUNTIME_DIR"]:
            folder = work / f"{name}-{word}"
            folder.mkdir(mode=0o700)
            self.environment[word] = str(folder)
        self.log = open(work / f"{name}.log", "wb")
        self.daemon = self.run(["lulld", "--clock-rate", str(rate)], stdout=self.log, stderr=self.log)
        control = Path(self.environment["LULL_RUNTIME_DIR"]) / "control"
        if not loop.wait(control.exists, 20):
            raise RuntimeError("lulld does not start")
        self.journal = self.run(["lull", "log", "--follow", "--json"], stdout=subprocess.PIPE)
        loop.add(self.journal.stdout, self.hear)

    def run(self, words: list[str], **files) -> subprocess.Popen:
        return subprocess.Popen(words, stdin=subprocess.DEVNULL, env=self.environment, **files)

    def words(self, case) -> list[str]:
        self.cases[case.id] = case
        return ["lull", "run", "--mode", "voip", *self.options, "--name", case.id, "--"]

    def hear(self, line: str | None) -> None:
        if line is None:
            return
        entry = json.loads(line)
        case = self.cases.get(entry["program"])
        if case is None:
            return
        now = time.monotonic()
        reason = ": ".join(filter(None, [entry["cause"], entry["detail"]]))
        case.story.append((now, f"{entry['what']} {reason}"))
        if entry["what"] == "frozen":
            case.is_asleep, case.refusal = True, None
        elif entry["what"] == "woke":
            case.is_asleep = False
        elif entry["what"] == "freeze-refused":
            case.refusal = reason
        # A wake right before a timer is due, and what follows from it, is for it, or for another one with
        # which it is batched.
        follows = entry["what"] not in ("frozen", "freeze-refused")
        if case.group == "timers" and now < (case.due or math.inf) - follows:
            case.note()

    def stop(self) -> None:
        for process in [self.journal, self.daemon]:
            process.terminate()
            process.wait()
