"""server.py PORT: says back each line. It tells systemd that it is ready and, by a timer, that it lives.
SIGTERM ends it with status 7."""

import asyncio
import os
import signal
import socket
import sys


def tell(text):
    path = os.environ["NOTIFY_SOCKET"]
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as other:
        other.sendto(text, "\0" + path[1:] if path[0] == "@" else path)


async def answer(reader, writer):
    while line := await reader.readline():
        writer.write(line)


async def main():
    asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, os._exit, 7)
    server = await asyncio.start_server(answer, "127.0.0.1", int(sys.argv[1]))
    tell(b"READY=1")
    pause = int(os.environ.get("WATCHDOG_USEC", 0)) / 2e6
    while pause:
        await asyncio.sleep(pause)
        tell(b"WATCHDOG=1")
    await server.serve_forever()


asyncio.run(main())
