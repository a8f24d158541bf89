"""A client of docs/PROTOCOL.md: a request, its items, its last line."""

import asyncio
import re

FIELD = re.compile(r'([A-Za-z][A-Za-z0-9-]*)(?:=("(?:[^"\\]|\\.)*"|[^ ]*))?(?: |$)')


class Refused(Exception):
    """The daemon answered `error`, or not at all."""


def parse(line):
    """The fields of a line; its verb has the key `verb`."""
    verb, _, rest = line.partition(" ")
    fields = {"verb": verb}
    for key, value in FIELD.findall(rest):
        fields[key] = value[1:-1].replace('\\"', '"').replace("\\\\", "\\") if value[:1] == '"' else value
    return fields


async def ask(world, request, seconds=5):
    """Asks on a connection of its own; the items and, last, the `ok`. Raises Refused."""
    writer = None
    try:
        async with asyncio.timeout(seconds):
            reader, writer = await asyncio.open_unix_connection(world.socket, limit=1 << 20)
            writer.write(request.encode() + b"\n")
            answer = []
            while line := (await reader.readline()).decode():
                fields = parse(line.rstrip("\n"))
                if fields["verb"] == "error":
                    raise Refused(f"{request}: {fields.get('message')}")
                if fields["verb"] == "event":
                    continue
                answer.append(fields)
                if fields["verb"] == "ok":
                    return answer
            raise Refused(f"{request}: the connection ended")
    except TimeoutError:
        raise Refused(f"{request}: no answer within {seconds} s") from None
    except OSError as error:
        raise Refused(f"{request}: {error}") from None
    finally:
        if writer:
            writer.close()


async def daemon_pid(world, seconds):
    """The pid of the daemon that answers, or None when none does in time."""
    limit = asyncio.get_running_loop().time() + seconds
    while (left := limit - asyncio.get_running_loop().time()) > 0:
        try:
            return int((await ask(world, "hello", left))[-1]["pid"])
        except Refused:
            await asyncio.sleep(0.01)
    return None


async def programs(world, seconds=5):
    """The programs that the daemon knows, by name, as `status` tells them."""
    items = await ask(world, "status", seconds)
    return {item["name"]: item for item in items if item.get("kind") == "program"}
