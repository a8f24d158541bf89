"""The players: how each is started, paused and told to seek."""
import json
import os
import pty
import signal
import socket
import subprocess
import time
from pathlib import Path


def await_path(path: Path) -> None:
    end = time.monotonic() + 20
    while not path.exists():
        if time.monotonic() > end:
            raise TimeoutError(f"{path.name} did not come")
        time.sleep(0.02)


class Player:
    name = ""
    can_seek = True
    # Frames that the player itself throws away when it pauses: it takes for played what it has handed over.
    lost_at_pause = 0
    # The greatest distance, in seconds, between the place that was asked for and where it goes on.
    tolerance = 0.1

    def __init__(self, work: Path, track: Path, run: list[str], environment: dict[str, str]):
        self.work, self.track, self.environment = work, track, environment
        self.process = self.start(run)

    def launch(self, words: list[str], **more) -> subprocess.Popen:
        log = open(self.work / f"{self.name}.log", "wb")
        more = {"stdin": subprocess.DEVNULL, "stdout": log, "stderr": log} | more
        return subprocess.Popen(words, env=self.environment, start_new_session=True, **more)

    def has_ended(self) -> bool:
        """Whether it has come to the end of what it plays, and knows it."""
        return self.process.poll() is not None

    def stop(self) -> None:
        self.process.terminate()
        try:
            self.process.wait(10)
        except subprocess.TimeoutExpired:
            # A player that hangs would outlive its `lull run`.
            os.killpg(self.process.pid, signal.SIGKILL)
            self.process.wait()


class Mpv(Player):
    name = "mpv"

    def start(self, run):
        path = self.work / "mpv.socket"
        words = ["mpv", "--no-config", "--no-terminal", "--no-video", "--ao=alsa", "--audio-device=alsa/lull"]
        process = self.launch([*run, *words, f"--input-ipc-server={path}", str(self.track)])
        await_path(path)
        self.socket = socket.socket(socket.AF_UNIX)
        self.socket.connect(str(path))
        self.answers = self.socket.makefile("rb")
        return process

    def ask(self, *command) -> None:
        self.socket.sendall(json.dumps({"command": command}).encode() + b"\n")
        while "error" not in json.loads(self.answers.readline()):
            pass

    def pause(self):
        self.ask("set_property", "pause", True)

    def resume(self):
        self.ask("set_property", "pause", False)

    def seek(self, seconds: float):
        self.ask("seek", seconds, "absolute+exact")


class Mpd(Player):
    name = "mpd"
    lost_at_pause = 96_000

    def start(self, run):
        music, path = self.work / "music", self.work / "mpd.socket"
        music.mkdir()
        os.link(self.track, music / "track.wav")
        configuration = self.work / "mpd.conf"
        configuration.write_text(
            f'music_directory "{music}"\nbind_to_address "{path}"\ndb_file "{self.work}/mpd.db"\n'
            'audio_output {\n  type "alsa"\n  name "Lull"\n  device "lull"\n  mixer_type "none"\n}\n'
        )
        process = self.launch([*run, "mpd", "--no-daemon", str(configuration)])
        await_path(path)
        self.socket = socket.socket(socket.AF_UNIX)
        self.socket.settimeout(20)
        self.socket.connect(str(path))
        self.answers = self.socket.makefile("rb")
        self.answers.readline()
        self.ask(f'add "file://{self.track}"')
        self.ask("play")
        return process

    def ask(self, line: str) -> list[bytes]:
        answers = []
        self.socket.sendall(line.encode() + b"\n")
        while (answer := self.answers.readline()) != b"OK\n":
            if not answer or answer.startswith(b"ACK"):
                raise RuntimeError(f"mpd: {line}: {answer.decode().strip()}")
            answers.append(answer)
        return answers

    def pause(self):
        self.ask("pause 1")

    def resume(self):
        self.ask("pause 0")

    def seek(self, seconds: float):
        self.ask(f"seekcur {seconds:.3f}")

    def has_ended(self):
        try:
            return b"state: stop\n" in self.ask("status")
        except OSError:
            # It hangs in its drain, and answers nothing any more.
            return False


class Aplay(Player):
    name = "aplay"
    can_seek = False

    def start(self, run):
        self.keys, terminal = pty.openpty()
        words = ["aplay", "-i", "-q", "-D", "lull", str(self.track)]
        process = self.launch([*run, *words], stdin=terminal)
        os.close(terminal)
        return process

    def pause(self):
        os.write(self.keys, b" ")

    resume = pause


class LullPlayer(Player):
    name = "lull-player"

    def start(self, run):
        process = self.launch(["lull-player", "daemon"])
        self.ask("add", str(self.track))
        self.ask("play")
        return process

    def ask(self, *words) -> None:
        end = time.monotonic() + 20
        while subprocess.run(["lull-player", *words], env=self.environment, capture_output=True).returncode:
            if time.monotonic() > end:
                raise TimeoutError(f"lull-player {' '.join(words)}")
            time.sleep(0.1)

    def pause(self):
        self.ask("pause")

    def resume(self):
        self.ask("play")

    def seek(self, seconds: float):
        self.ask("seek", f"{seconds:.3f}")

    def has_ended(self):
        status = subprocess.run(["lull-player", "status"], env=self.environment, capture_output=True)
        return status.stdout.startswith(b"stopped")


PLAYERS = {player.name: player for player in (Mpv, Mpd, Aplay, LullPlayer)}
