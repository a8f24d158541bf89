"""A signal that is heard, and that tells of each of its frames which one it is.

The left channel is a loud tone; its low byte and the right channel count the frames. So a recording shows
what was skipped, what was heard twice and where nothing was heard, to the frame.
"""
import array
import math
import sys
import wave

RATE = 48_000
FRAME = 4
CYCLE = 65_535


def frames_of(seconds: int) -> bytes:
    """The signal; no frame of it is all zero."""
    tone = [int(8000 * math.sin(2 * math.pi * i / 100)) & ~0xFF for i in range(100)]
    samples = array.array("h", bytes(seconds * RATE * FRAME))
    for index in range(seconds * RATE):
        high, low = divmod(index, CYCLE)
        samples[2 * index] = tone[index % 100] | high
        samples[2 * index + 1] = low + 1 - (65_536 if low >= 32_767 else 0)
    if sys.byteorder == "big":
        samples.byteswap()
    return samples.tobytes()


def position(frame: bytes) -> int:
    """Which frame of the signal this one claims to be."""
    return frame[0] * CYCLE + int.from_bytes(frame[2:4], "little") - 1


def write_wave(path, frames: bytes) -> None:
    with wave.open(str(path), "wb") as file:
        file.setnchannels(2)
        file.setsampwidth(2)
        file.setframerate(RATE)
        file.writeframes(frames)
