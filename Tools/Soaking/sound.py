"""aplay through the ALSA device `lull`, into a sound server without hardware."""

import asyncio
import os

import processes
from programs import PATIENCE, Program
from violation import Unable, Violation
from world import read, write

SINK = """load-module module-null-sink sink_name=lull rate=48000 format=s16le channels=2
set-default-sink lull
load-module module-native-protocol-unix auth-anonymous=1 socket={socket}
"""
DEVICES = """</usr/share/alsa/alsa.conf>
pcm.!default {{ type pulse server "unix:{socket}" }}
ctl.!default {{ type pulse server "unix:{socket}" }}
pcm_type.lull {{ lib "{plugin}" }}
pcm.lull {{ type lull }}
"""


async def start_sink(world):
    """A sink that takes its frames in real time. Raises Unable."""
    socket = world.folder + "/native"
    os.makedirs(world.folder + "/sound", mode=0o700)
    write(world.folder + "/sink.pa", SINK.format(socket=socket))
    write(world.folder + "/asoundrc", DEVICES.format(socket=socket, plugin=world.plugin))
    world.environment["ALSA_CONFIG_PATH"] = world.folder + "/asoundrc"
    world.environment["HOME"] = world.folder + "/sound"
    await world.spawn("env", f"XDG_RUNTIME_DIR={world.folder}/sound", "pulseaudio", "-n", "-F",
                      world.folder + "/sink.pa", "--daemonize=no", "--exit-idle-time=-1", "--realtime=no",
                      "--high-priority=no", "--use-pid-file=no", log="pulseaudio")
    for _ in range(10 * PATIENCE):
        if os.path.exists(socket):
            return
        await asyncio.sleep(0.1)
    raise Unable("pulseaudio does not start: see pulseaudio.log")


class SoundProgram(Program):
    """Plays for ever: noise, which keeps it awake, or silence, which does not."""

    modes = "audio"

    def __init__(self, soak, name, source):
        super().__init__(soak, name, attached=True)
        self.source = source
        self.read, self.since = None, 0.0

    def command(self):
        format = ["-t", "raw", "-f", "S16_LE", "-r", "48000", "-c", "2"]
        return ["aplay", "-q", "-D", "lull", *format, self.source]

    async def connect(self):
        """It has no connection but that to lull-audio."""
        self.since = asyncio.get_running_loop().time()

    def silent_for(self):
        """For how many seconds it has handed over nothing although it runs."""
        now = asyncio.get_running_loop().time()
        amount = [read(f"/proc/{pid}/io").partition("\n")[0] for pid in self.leaders]
        if amount != self.read or self.is_frozen() or not any(map(processes.start_time, self.leaders)):
            self.read, self.since = amount, now
        return now - self.since

    def check_progress(self):
        if self.silent_for() > PATIENCE:
            raise Violation(f"{self.name} runs and has not played for {PATIENCE} s")
