"""One player through many seeks and pauses, and what of it was not as it should be."""
import random
import subprocess
import time

from signal_code import RATE


# What has left the buffer of a device is heard, and may be heard again.
TWICE = RATE // 20


class Session:
    def __init__(self, player, recorder, length: int, seed: int):
        self.player, self.recorder, self.length = player, recorder, length
        self.choice = random.Random(f"{player.name} {seed}")
        self.faults: list[str] = []
        self.counts = {"seek": 0, "pause": 0}
        self.skipped = self.twice = 0
        self.run = self.await_run(0, "the beginning")

    def fault(self, text: str) -> None:
        place = f"action {sum(self.counts.values())}, {time.strftime('%H:%M:%S')}"
        self.faults.append(text)
        print(f"  {self.player.name}, {place}: {text}", flush=True)

    def await_run(self, known: int, after: str):
        """The next run behind so many that are known."""
        if not self.recorder.wait(lambda: len(self.recorder.runs) > known, 10):
            self.fault(f"nothing is heard 10 s after {after}")
            if not self.recorder.wait(lambda: len(self.recorder.runs) > known, 60):
                raise RuntimeError(f"nothing is heard 70 s after {after}")
        return self.recorder.runs[known]

    def play(self, seconds: float) -> None:
        """Listens for so long; nothing may break the run."""
        frames = self.run.end - self.run.begin + int(seconds * RATE)
        frames = min(frames, self.length * RATE - self.run.begin - RATE)
        plays = lambda: self.run.is_over or self.run.end - self.run.begin >= frames
        if not self.recorder.wait(plays, seconds + 5) or self.run.is_over:
            self.fault(f"a hole behind {self.run}")
            self.run = self.await_run(self.recorder.runs.index(self.run) + 1, "a hole")

    def pause(self, seconds: float) -> None:
        known, before = len(self.recorder.runs), self.run
        self.counts["pause"] += 1
        self.player.pause()
        if not self.recorder.wait(lambda: before.is_over and self.recorder.silent > RATE // 50, 5):
            self.fault(f"it plays on 5 s after a pause: {before}")
        time.sleep(seconds)
        if len(self.recorder.runs) > known:
            self.fault(f"it plays in a pause: {self.recorder.runs[-1]}")
        known = len(self.recorder.runs)
        self.player.resume()
        self.run = self.await_run(known, f"a pause of {seconds:.2f} s")
        jump = self.run.begin - before.end
        if not -TWICE <= jump <= self.player.lost_at_pause:
            self.fault(f"{abs(jump)} frames {'missing' if jump > 0 else 'heard twice'} behind {before}")
        self.skipped, self.twice = max(self.skipped, jump), max(self.twice, -jump)

    def seek(self, seconds: float) -> None:
        known, before = len(self.recorder.runs), self.run
        self.counts["seek"] += 1
        self.player.seek(seconds)
        self.run = self.await_run(known, f"a seek to {seconds:.3f} s")
        off = self.run.begin / RATE - seconds
        if abs(off) > self.player.tolerance:
            self.fault(f"{off:+.3f} s beside the place of the seek: {self.run}, before it {before}")

    def finish(self) -> None:
        """Plays to the last frame; then the player comes to its end, and does not hang in a drain."""
        if self.player.can_seek:
            self.seek(self.length - 5)
        last = self.length * RATE
        plays = lambda: self.run.is_over or self.run.end >= last
        self.recorder.wait(plays, (last - self.run.end) / RATE + 5)
        if self.run.end < last:
            return self.fault(f"the last frames are not heard: {self.run}")
        end = time.monotonic() + 10
        while not self.player.has_ended():
            if time.monotonic() > end:
                return self.fault("it does not end 10 s after its last frame")
            time.sleep(0.1)

    def place(self) -> float:
        """Somewhere else than here, and not near the end."""
        here = self.run.end / RATE
        while True:
            place = round(self.choice.uniform(1, self.length - 40), 3)
            if abs(place - here) > 2:
                return place

    def act(self, index: int) -> None:
        # Now and then long enough for a freeze that should not be to come.
        self.play(self.choice.uniform(11, 13) if index % 12 == 7 else self.choice.uniform(0.05, 2))
        if self.player.can_seek and (self.choice.random() < 0.5 or self.is_late()):
            self.seek(self.place())
        else:
            self.pause(self.choice.uniform(0.1, 5))

    def is_late(self) -> bool:
        return self.run.end > (self.length - 30) * RATE


def freezes(name: str, since: float, recorder, environment) -> list[str]:
    """The lines of the journal that say that the program was frozen while it was heard."""
    found = []
    log = subprocess.run(["lull", "log"], env=environment, capture_output=True, text=True).stdout
    for line in log.splitlines():
        words = line.split()
        if len(words) < 4 or words[2:4] != [name, "frozen"]:
            continue
        moment = time.mktime(time.strptime(line[:19], "%Y-%m-%d %H:%M:%S")) + float("0." + line[20:23])
        at = (moment - since) * RATE
        # The recording is behind by some hundredths of a second.
        if any(run.at + RATE / 5 < at < run.at + run.end - run.begin - RATE / 5 for run in recorder.runs):
            found.append(line)
    return found
