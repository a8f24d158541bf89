"""A session of sound, opened by hand: docs/PROTOCOL-SOUND.md."""
import array
import fcntl
import math
import mmap
import os
import random
import socket
import struct

STOP, PLAY, PAUSE, DRAIN = range(4)
DATA = 4096
SEALS = fcntl.F_SEAL_SHRINK | fcntl.F_SEAL_GROW | fcntl.F_SEAL_SEAL


class Ring:
    def __init__(
        self, seconds: float, rate=48_000, channels=2, category="playback", direction="play", more=""
    ):
        self.rate, self.channels, self.frames = rate, channels, int(seconds * rate)
        size = DATA + self.frames * channels * 2
        memory = os.memfd_create("trick", os.MFD_CLOEXEC | os.MFD_ALLOW_SEALING)
        os.ftruncate(memory, size)
        fcntl.fcntl(memory, fcntl.F_ADD_SEALS, SEALS)
        self.words = mmap.mmap(memory, size)
        self.store("<f", 28, 1.0)
        self.control = socket.socket(socket.AF_UNIX)
        self.control.connect(os.environ["LULL_RUNTIME_DIR"] + "/control")
        self.doorbell, theirs = socket.socketpair()
        self.doorbell.setblocking(False)
        self.ask("ring", memory)
        self.ask(f"doorbell inode={os.fstat(self.doorbell.fileno()).st_ino}", theirs.fileno())
        reply = self.ask(
            f"session category={category} direction={direction} rate={rate} channels={channels} format=s16"
            f" frames={self.frames} mix {more}".strip())
        self.number = reply.split("session=")[1].split()[0]
        os.close(memory)
        theirs.close()
        self.written = 0

    def ask(self, line: str, descriptor: int | None = None) -> str:
        socket.send_fds(self.control, [line.encode() + b"\n"], [] if descriptor is None else [descriptor])
        while True:
            for reply in self.control.recv(4096).decode().splitlines():
                if reply.startswith("error"):
                    raise RuntimeError(f"{line}: {reply}")
                if reply.startswith("ok"):
                    return reply

    def store(self, kind: str, place: int, value):
        struct.pack_into(kind, self.words, place, value)

    def command(self, command: int):
        self.store("<I", 24, command)
        self.ring()

    def ring(self):
        try:
            while self.doorbell.recv(256):
                pass
        except BlockingIOError:
            pass
        try:
            self.doorbell.send(b"x")
        except OSError:
            pass

    def gain(self, value: float):
        self.store("<f", 28, value)
        self.ring()

    @property
    def moved(self) -> int:
        return struct.unpack_from("<Q", self.words, 64)[0]

    @property
    def waiting(self) -> float:
        return (self.written - self.moved) / self.rate

    def put(self, samples: bytes, at: int | None = None):
        """Writes frames behind what was written, or over it from a place on."""
        frame = 2 * self.channels
        part = (self.written if at is None else at) % self.frames * frame
        first = min(len(samples), self.frames * frame - part)
        self.words[DATA + part:DATA + part + first] = samples[:first]
        self.words[DATA:DATA + len(samples) - first] = samples[first:]
        if at is None:
            self.written += len(samples) // frame
            self.store("<Q", 0, self.written)

    def rewind(self, place: int):
        self.written = place
        self.store("<Q", 0, place)
        self.store("<I", 32, struct.unpack_from("<I", self.words, 32)[0] + 1)

    def flush(self):
        self.store("<Q", 8, self.written)
        self.ring()

    def close(self):
        self.ask(f"end-session session={self.number}")
        self.control.close()
        self.doorbell.close()
        self.words.close()

    # The frames that are put into it.

    def silence(self, seconds: float) -> bytes:
        return bytes(int(seconds * self.rate) * 2 * self.channels)

    def tone(self, seconds: float, frequency=440.0, level=-20.0, sign=1) -> bytes:
        peak = sign * 32767 * 10 ** (level / 20)
        step = 2 * math.pi * frequency / self.rate
        wave = array.array("h", (int(peak * math.sin(step * n)) for n in range(int(seconds * self.rate))))
        return self.spread(wave)

    def noise(self, seconds: float, level=-12.0) -> bytes:
        chance, peak = random.Random(1), int(32767 * 10 ** (level / 20))
        samples = (chance.randint(-peak, peak) for _ in range(int(seconds * self.rate)))
        return self.spread(array.array("h", samples))

    def spread(self, wave: array.array) -> bytes:
        spread = array.array("h", bytes(2 * self.channels * len(wave)))
        for channel in range(self.channels):
            spread[channel::self.channels] = wave
        return spread.tobytes()
