"""The echo server on asyncio: `python3 echo_aio.py PORT`. It is frozen while nobody sends anything."""

import asyncio
import sys

import lull
import lull.aio


async def main(port: int) -> None:
    async with lull.aio.Program("echo", alone=True) as program:

        async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            line = program.hold(writer.get_extra_info("socket"))
            while data := await reader.read(4096):
                writer.write(data)
                await writer.drain()
                program.done()
            program.release(line)
            writer.close()

        server = await asyncio.start_server(serve, "127.0.0.1", port)
        program.hold(server.sockets[0])
        print("ready", flush=True)
        async for event in program:
            if isinstance(event, lull.Wake):
                print("woken", event.reason, flush=True)
            program.done()


asyncio.run(main(int(sys.argv[1])))
