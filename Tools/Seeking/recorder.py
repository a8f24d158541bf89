"""Hears what the sink plays, and cuts it into runs, in which each frame follows the one before."""
import subprocess
import threading

from signal_code import FRAME, RATE, position

PART = 480 * FRAME


class Run:
    """Frames `begin` to `end` of the signal, heard from the frame `at` of the recording on."""

    def __init__(self, at: int, begin: int):
        self.at, self.begin, self.end = at, begin, begin
        self.is_over = False

    def __repr__(self) -> str:
        return f"{self.begin / RATE:.4f} to {self.end / RATE:.4f} s, heard at {self.at / RATE:.3f} s"


class Recorder(threading.Thread):
    def __init__(self, signal: bytes, arguments: list[str], environment: dict[str, str]):
        super().__init__(daemon=True)
        self.signal = signal
        self.runs: list[Run] = []
        self.strange = 0
        self.heard = 0
        self.silent = 0
        self.changed = threading.Condition()
        self.process = subprocess.Popen(arguments, stdout=subprocess.PIPE, env=environment)
        self.start()

    def run(self) -> None:
        rest = b""
        while part := self.process.stdout.read1(PART):
            part = rest + part
            whole = len(part) - len(part) % FRAME
            with self.changed:
                self.take(part[:whole])
                self.changed.notify_all()
            rest = part[whole:]

    def take(self, part: bytes) -> None:
        while part:
            run = self.runs[-1] if self.runs else None
            count = self.go_on(run, part) if run and not run.is_over else self.begin(part)
            self.heard += count
            part = part[count * FRAME :]

    def go_on(self, run: Run, part: bytes) -> int:
        count = common(part, self.signal[run.end * FRAME : run.end * FRAME + len(part)])
        run.end += count
        run.is_over = count * FRAME < len(part)
        self.silent = 0
        return count

    def begin(self, part: bytes) -> int:
        silence = (len(part) - len(part.lstrip(b"\0"))) // FRAME
        if silence:
            self.silent += silence
            return silence
        at = position(part[:FRAME])
        if self.signal[at * FRAME : at * FRAME + FRAME] == part[:FRAME]:
            self.runs.append(Run(self.heard, at))
            return 0
        self.strange += 1
        return 1

    def wait(self, condition, seconds: float) -> bool:
        """Until the condition holds, at most so long."""
        with self.changed:
            return self.changed.wait_for(condition, seconds)

    def stop(self) -> None:
        self.process.kill()
        self.process.wait()
        self.join(5)


def common(one: bytes, other: bytes) -> int:
    """The number of frames at the beginning that are the same."""
    if one == other:
        return len(one) // FRAME
    low, high = 0, min(len(one), len(other)) // FRAME
    while low < high:
        middle = (low + high + 1) // 2
        if one[: middle * FRAME] == other[: middle * FRAME]:
            low = middle
        else:
            high = middle - 1
    return low
