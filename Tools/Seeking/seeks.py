"""Started by Tools/seeks, which see; the programs are in PATH, the plugin in $LULL_PLUGIN."""
import argparse
import os
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from players import PLAYERS, await_path
from recorder import Recorder
from session import Session, freezes
from signal_code import frames_of, write_wave


def configuration(work: Path) -> dict[str, str]:
    """The environment of everything that is started: nothing outside the folder is touched."""
    (work / "sink.pa").write_text(
        "load-module module-null-sink sink_name=lull rate=48000 format=s16le channels=2 norewinds=1\n"
        "set-default-sink lull\n"
        f"load-module module-native-protocol-unix auth-anonymous=1 socket={work}/native\n"
    )
    (work / "asoundrc").write_text(
        "</usr/share/alsa/alsa.conf>\n"
        f'pcm.!default {{ type pulse server "unix:{work}/native" }}\n'
        f'ctl.!default {{ type pulse server "unix:{work}/native" }}\n'
        f'pcm_type.lull {{ lib "{os.environ["LULL_PLUGIN"]}" }}\npcm.lull {{ type lull }}\n'
    )
    environment = dict(os.environ)
    environment.pop("DBUS_SESSION_BUS_ADDRESS", None)
    for name, folder in {
        "HOME": "home", "XDG_RUNTIME_DIR": "server", "XDG_STATE_HOME": "state", "LULL_RUNTIME_DIR": "run",
    }.items():
        (work / folder).mkdir(mode=0o700)
        environment[name] = str(work / folder)
    return environment | {"ALSA_CONFIG_PATH": f"{work}/asoundrc", "PULSE_SERVER": f"unix:{work}/native"}


def start(words: list[str], work: Path, environment: dict[str, str]) -> subprocess.Popen:
    log = open(work / f"{words[0]}.log", "wb")
    return subprocess.Popen(words, stdin=subprocess.DEVNULL, stdout=log, stderr=log, env=environment)


def start_sink(work: Path, environment: dict[str, str]) -> subprocess.Popen:
    words = "--daemonize=no --exit-idle-time=-1 --realtime=no --high-priority=no --use-pid-file=no"
    sink = start(["pulseaudio", "-n", "-F", str(work / "sink.pa"), *words.split()], work, environment)
    await_path(work / "native")
    return sink


def try_player(name: str, given, signal: bytes, work: Path, environment: dict[str, str]) -> bool:
    recording = "parec -d lull.monitor --latency-msec=20 --raw --rate=48000 --channels=2 --format=s16le"
    recorder = Recorder(signal, recording.split(), environment)
    if not recorder.wait(lambda: recorder.heard > 0, 10):
        raise RuntimeError("the sink cannot be recorded")
    since = time.time() - recorder.heard / 48_000
    player = PLAYERS[name](
        work, work / "track.wav", ["lull", "run", "--mode", "audio", "--name", name, "--"], environment)
    session = None
    try:
        session = Session(player, recorder, given.length, given.seed)
        for index in range(given.count):
            if not player.can_seek and session.is_late():
                break
            session.act(index)
        session.play(11)
        session.finish()
        # lull-player sleeps while it is heard, by a deep buffer.
        if name != "lull-player":
            for line in freezes(name, since, recorder, environment):
                session.fault(f"frozen while it was heard: {line}")
    finally:
        player.stop()
        recorder.stop()
    counts = session.counts
    print(
        f"{name}: {counts['seek']} seeks and {counts['pause']} pauses, {recorder.heard / 48_000:.0f} s heard,"
        f" {len(session.faults)} faults; at a pause at most {session.skipped} frames skipped,"
        f" {session.twice} heard twice; {recorder.strange} frames changed", flush=True)
    return not session.faults and not recorder.strange


class Parser(argparse.ArgumentParser):
    def error(self, message: str):
        self.exit(64, f"seeks: {message}; see Tools/seeks --help\n")


def main() -> int:
    parser = Parser(prog="seeks", add_help=False)
    parser.add_argument("--count", type=int, default=1000)
    parser.add_argument("--player", action="append", choices=sorted(PLAYERS))
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--length", type=int, default=300)
    given = parser.parse_args()
    if not (given.count > 0 and 60 <= given.length <= 340):
        parser.error("--count is at least 1, --length 60 to 340")
    missing = [name for name in given.player or [] if not shutil.which(name)]
    if missing:
        parser.error(f"{missing[0]} is not installed")
    signal = frames_of(given.length)
    is_good = True
    for name in given.player or filter(shutil.which, PLAYERS):
        with tempfile.TemporaryDirectory() as folder:
            work = Path(folder)
            write_wave(work / "track.wav", signal)
            environment = configuration(work)
            started = [start_sink(work, environment), start(["lulld"], work, environment)]
            try:
                await_path(work / "run" / "control")
                is_good = try_player(name, given, signal, work, environment) and is_good
            finally:
                for process in reversed(started):
                    process.terminate()
                    process.wait()
    return 0 if is_good else 1


if __name__ == "__main__":
    sys.exit(main())
