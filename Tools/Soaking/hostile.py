"""A hostile client of the owner's: floods, unfinished lines, descriptors; bounded in count and time."""

import array
import asyncio
import os
import socket

from faults import fault

SECONDS = 1.5


def connect(soak):
    line = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    line.setblocking(False)
    line.connect(soak.world.socket)
    return line


async def pour(line, data, most):
    """Sends the same bytes again and again, never reading an answer, until it is stopped by the daemon."""
    sent, limit = 0, asyncio.get_running_loop().time() + SECONDS
    while sent < most and asyncio.get_running_loop().time() < limit:
        try:
            sent += line.send(data)
        except BlockingIOError:
            await asyncio.sleep(0.01)
        except OSError:
            return
        await asyncio.sleep(0)


async def flood(soak, lines):
    for line in lines:
        await pour(line, b"status\n" * 500, 200_000)


async def follow(soak, lines):
    """Notices that nobody reads."""
    for line in lines:
        line.send(b"log follow\nnotifications follow\n")
    await asyncio.sleep(SECONDS)


async def unfinished(soak, lines):
    for line in lines:
        line.send(b"run name=" + b"x" * soak.chance.randrange(1, 4000))
    await asyncio.sleep(SECONDS)


async def endless(soak, lines):
    for line in lines:
        await pour(line, b"x" * 65536, 1_000_000)


async def garbage(soak, lines):
    for line in lines:
        await pour(line, soak.chance.randbytes(4000) + b"\n", 200_000)


async def give_descriptors(soak, lines):
    """With each byte of a line that never ends."""
    given = os.open("/dev/null", os.O_RDONLY)
    try:
        for line in lines:
            for _ in range(200):
                line.sendmsg([b"x"], [(socket.SOL_SOCKET, socket.SCM_RIGHTS, array.array("i", [given] * 8))])
                await asyncio.sleep(0)
        await asyncio.sleep(SECONDS)
    except OSError:
        pass
    finally:
        os.close(given)


async def crowd(soak, lines):
    """Many connections that say nothing."""
    others = []
    try:
        for _ in range(300):
            others.append(connect(soak))
            await asyncio.sleep(0)
        await asyncio.sleep(SECONDS)
    except OSError:
        pass
    finally:
        for line in others:
            line.close()


KINDS = [flood, follow, unfinished, endless, garbage, give_descriptors, crowd]


@fault("hostile", 8, kills=False)
async def hostile(soak):
    kind, count = soak.chance.choice(KINDS), soak.chance.randrange(1, 4)
    soak.world.log(f"hostile: {kind.__name__}, {count}")
    lines = []
    try:
        for _ in range(count):
            lines.append(connect(soak))
        await kind(soak, lines)
    except OSError as error:
        soak.world.log(f"hostile: {error}")
    finally:
        for line in lines:
            line.close()
