"""Connections to programs: what was sent, what has to come back, and for how long it has been awaited."""

import asyncio
import time
from collections import deque

from violation import Violation

MOST_WAITING = 8192


class Channel(asyncio.Protocol):
    """One connection. What comes back is told to the byte: `expected` is what is still to come."""

    def __init__(self, program, kind):
        self.program, self.kind = program, kind
        self.expected = bytearray()
        self.asked, self.answered = 0, 0
        self.moments = deque()
        self.transport = None
        self.is_closed = False

    def __str__(self):
        return f"{self.program.name} ({self.kind})"

    def connection_made(self, transport):
        self.transport = transport

    def connection_lost(self, error):
        if not self.is_closed and not self.program.is_ending:
            self.program.lost(Violation(f"the connection to {self} broke: {error or 'its end came'}"))

    def error_received(self, error):
        self.connection_lost(error)

    def close(self):
        self.is_closed = True
        if self.transport:
            self.transport.close()

    @property
    def waits_for(self):
        return self.asked - self.answered

    def overdue(self):
        """For how many seconds the oldest byte that has not come back has been awaited."""
        while self.moments and self.moments[0][0] <= self.answered:
            self.moments.popleft()
        return time.monotonic() - self.moments[0][1] if self.moments else 0.0

    def ask(self, data, reply):
        """Sends bytes whose answer is to be `reply`."""
        self.expect(reply)
        self.transport.write(data)

    def expect(self, reply):
        self.expected += reply
        self.asked += len(reply)
        self.moments.append((self.asked, time.monotonic()))
        self.program.counts.messages += 1

    def data_received(self, data):
        if self.expected[:len(data)] != data:
            self.program.fail(Violation(
                f"{self} answered {bytes(data[:60])!r} where {bytes(self.expected[:60])!r} had to come"))
        del self.expected[:len(data)]
        self.count(len(data))

    def count(self, size):
        self.answered += size
        self.program.counts.bytes += size

    async def burst(self, rng):
        """Sends something, unless much is under way."""
        if self.waits_for < MOST_WAITING and not self.is_closed:
            self.ask(*self.request(rng))


class Echo(Channel):
    """A TCP connection to an echo program."""

    def request(self, rng):
        data = rng.randbytes(rng.randrange(1, 1200))
        return data, data


class Redis(Channel):
    def request(self, rng):
        data = rng.randbytes(rng.randrange(1, 600)).hex().encode()
        reply = b"$%d\r\n%s\r\n" % (len(data), data)
        return b"*2\r\n$4\r\nECHO\r\n" + reply, reply


class Datagrams(Channel):
    """An echo program over UDP: each datagram comes back whole, in any order."""

    def __init__(self, program, kind):
        super().__init__(program, kind)
        self.under_way = {}
        self.last = 0

    def request(self, rng):
        self.last += 1
        data = self.last.to_bytes(8) + rng.randbytes(rng.randrange(1, 1000))
        return data, data

    def ask(self, data, reply):
        self.under_way[data] = time.monotonic()
        self.asked += len(reply)
        self.program.counts.messages += 1
        self.transport.sendto(data)

    def overdue(self):
        return time.monotonic() - min(self.under_way.values()) if self.under_way else 0.0

    def datagram_received(self, data, _):
        self.take(data)

    def take(self, key):
        if self.under_way.pop(key, None) is None:
            self.program.fail(Violation(f"{self} answered {bytes(key[:60])!r}, which nobody has asked"))
        self.count(len(key))
