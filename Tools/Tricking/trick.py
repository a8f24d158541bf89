"""A program that nobody hears and that wants to stay awake: trick.py NAME."""
import os
import socket
import sys
import time

from ring import DRAIN, PAUSE, PLAY, STOP, Ring


def keep_playing(ring: Ring, parts, ahead=0.4):
    """Writes one part after the other for ever, so much ahead of what is heard."""
    ring.put(parts[0])
    ring.command(PLAY)
    turn = 1
    while True:
        while ring.waiting > ahead:
            time.sleep(0.05)
        ring.put(parts[turn % len(parts)])
        turn += 1
        ring.ring()


def promise_close():
    while True:
        ring = Ring(10)
        ring.put(ring.silence(0.5) + ring.tone(9))
        ring.command(PLAY)
        time.sleep(0.2)
        ring.close()
        time.sleep(7.8)


def alone():
    """Without `voip` and without a connection: only its own timers can wake it."""
    promise_close()


def cancel():
    pair = [Ring(1), Ring(1)]
    tones = [pair[0].tone(0.5), pair[1].tone(0.5, sign=-1)]
    for ring, tone in zip(pair, tones):
        ring.put(tone)
    for ring in pair:
        ring.command(PLAY)
    while True:
        time.sleep(0.05)
        for ring, tone in zip(pair, tones):
            if ring.waiting < 0.4:
                ring.put(tone)


def drop():
    ring = Ring(2)
    promise = ring.silence(0.15) + ring.tone(0.8)
    while True:
        ring.put(promise)
        ring.command(PLAY)
        time.sleep(0.06)
        ring.flush()
        ring.command(STOP)
        time.sleep(0.3)


def rewind():
    ring = Ring(4)
    loud, quiet = ring.tone(0.5), ring.silence(0.5)
    ring.put(ring.silence(1))
    ring.command(PLAY)
    while True:
        start = ring.written
        ring.put(loud)
        ring.ring()
        time.sleep(0.25)
        ring.rewind(start)
        ring.put(quiet)
        ring.ring()
        time.sleep(0.25)


def muted():
    ring = Ring(10)
    ring.put(ring.tone(9))
    while True:
        ring.gain(0)
        ring.command(PLAY)
        time.sleep(1)
        ring.command(PAUSE)
        time.sleep(0.2)
        if ring.waiting < 2:
            ring.put(ring.tone(5))


def call():
    ring = Ring(1, rate=16_000, channels=1, category="playAndRecord")
    keep_playing(ring, [ring.silence(0.2)])


def toggle():
    ring = Ring(1, more="lowWater=24000")
    while True:
        ring.put(ring.silence(0.1))
        ring.command(PLAY)
        time.sleep(0.1)
        ring.command(PAUSE)
        time.sleep(0.1)


def tiny_deep():
    ring = Ring(0.5, more="lowWater=20000")
    keep_playing(ring, [ring.silence(0.1)], ahead=0.2)


def click():
    ring = Ring(4)
    keep_playing(ring, [ring.tone(0.005, 1000, 0) + ring.silence(2.995)])


def beep():
    ring = Ring(12)
    keep_playing(ring, [ring.tone(0.2, 1000, -6) + ring.silence(9.8)])


def low_tone():
    ring = Ring(2)
    keep_playing(ring, [ring.tone(1, 30, 0)])


def high_tone():
    ring = Ring(2)
    keep_playing(ring, [ring.tone(1, 19_500, -1)])


def restart():
    while True:
        ring = Ring(1)
        ring.put(ring.silence(0.5))
        ring.command(PLAY)
        time.sleep(0.3)
        ring.command(STOP)
        ring.close()
        time.sleep(0.3)


def drain():
    ring = Ring(1)
    while True:
        ring.put(ring.silence(0.2))
        ring.command(DRAIN)
        time.sleep(0.4)
        ring.command(STOP)


def flood():
    rings = [Ring(1) for _ in range(8)]
    while True:
        for ring in rings:
            ring.put(ring.silence(0.1))
            ring.command(PLAY)
        time.sleep(0.15)


def pulses():
    """Audible for a tenth, every ten seconds, at the gate; the rest just below it."""
    ring = Ring(12)
    keep_playing(ring, [ring.tone(0.1, 1000, -50) + ring.tone(9.9, 1000, -66)])


def spoken_beep():
    ring = Ring(28, more="spoken")
    keep_playing(ring, [ring.tone(0.7, 1000, -20) + ring.silence(24)])


def forks():
    while True:
        if os.fork() == 0:
            ring = Ring(1)
            keep_playing_for(ring, 3)
            os._exit(0)
        time.sleep(1)


def keep_playing_for(ring: Ring, seconds: float):
    end = time.monotonic() + seconds
    ring.command(PLAY)
    while time.monotonic() < end:
        ring.put(ring.silence(0.1))
        time.sleep(0.1)


def ramp():
    ring = Ring(4)
    ring.put(ring.tone(1))
    ring.gain(0)
    ring.command(PLAY)
    level = 0
    while True:
        ring.gain(0.0004 * (level % 2))
        level += 1
        if ring.waiting < 2:
            ring.put(ring.tone(1))
        time.sleep(0.1)


def wide():
    ring = Ring(2, rate=192_000)
    keep_playing(ring, [ring.tone(1, 30_000, -1)])


def ambient():
    ring = Ring(2, category="ambient")
    keep_playing(ring, [ring.tone(1)])


def capture():
    ring = Ring(2, category="playback", direction="capture")
    ring.command(PLAY)
    while True:
        time.sleep(0.1)
        ring.written = ring.moved
        ring.store("<Q", 0, ring.written)


TRICKS = {
    name: act for name, act in list(globals().items())
    if getattr(act, "__module__", "") == __name__ and not act.__code__.co_argcount
}

if __name__ == "__main__":
    # With `voip` something must be able to wake it, or it is never put to sleep.
    listener = socket.create_server(("127.0.0.1", 0)) if sys.argv[1] != "alone" else None
    TRICKS[sys.argv[1]]()
