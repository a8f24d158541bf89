"""Connections that speak a protocol: the line protocol of lull-phone, HTTP, SIP, and netcat's silence."""

import asyncio
import re

from traffic import Channel, Datagrams
from violation import Violation

DATE = re.compile(rb"\r\nDate: [^\r]*\r\n")


class Pings(Channel):
    """The server's end of a lull-phone: each ping is answered, each other line is printed by the phone."""

    def __init__(self, program, kind):
        super().__init__(program, kind)
        self.rest = b""

    async def burst(self, rng):
        if self.is_closed or self.waits_for > 200:
            return
        count = rng.randrange(1, 4)
        text = b"ping\n" * count
        if rng.random() < 0.2:
            text += self.program.line_to_print()
        self.expect(b"pong\n" * count)
        cut = rng.randrange(len(text)) if rng.random() < 0.2 else 0
        if cut:
            self.transport.write(text[:cut])
            await asyncio.sleep(rng.uniform(0, 0.3))
        self.transport.write(text[cut:])

    def data_received(self, data):
        *lines, self.rest = (self.rest + data).split(b"\n")
        for line in lines:
            # The phone's own ping, when it connects and at its keep-alive, wants no answer here.
            if line != b"ping":
                super().data_received(line + b"\n")


class Http(Channel):
    """Requests on one kept connection; the answers differ in their date only."""

    def __init__(self, program, kind):
        super().__init__(program, kind)
        self.rest = b""

    def request(self, rng):
        name = rng.choice(list(self.program.pages))
        return b"GET /%s HTTP/1.1\r\nHost: soak\r\n\r\n" % name.encode(), self.program.pages[name]

    def data_received(self, data):
        self.rest += data
        while (end := self.rest.find(b"\r\n\r\n")) >= 0:
            head = self.rest[:end + 4]
            length = int(re.search(rb"Content-Length: (\d+)", head).group(1))
            if len(self.rest) < len(head) + length:
                return
            body = self.rest[len(head):len(head) + length]
            if b" 200 " not in head or not length or body != self.expected[:length]:
                self.program.fail(Violation(f"{self} answered {DATE.sub(b'', head)[:80]!r} wrongly"))
            self.rest = self.rest[len(head) + length:]
            del self.expected[:length]
            self.count(length)


class Options(Datagrams):
    """OPTIONS to a softphone: any answer to its Call-ID will do."""

    def request(self, rng):
        self.last += 1
        port = self.transport.get_extra_info("sockname")[1]
        key = b"soak%d.%d" % (port, self.last)
        text = (b"OPTIONS sip:alice@127.0.0.1 SIP/2.0\r\nVia: SIP/2.0/UDP 127.0.0.1:%d;branch=z9hG4bK%s\r\n"
                b"Max-Forwards: 70\r\nFrom: <sip:soak@127.0.0.1>;tag=%s\r\nTo: <sip:alice@127.0.0.1>\r\n"
                b"Call-ID: %s\r\nCSeq: 1 OPTIONS\r\nContent-Length: 0\r\n\r\n") % (port, key, key, key)
        return text, key

    def ask(self, data, reply):
        super().ask(data, reply)
        self.under_way[reply] = self.under_way.pop(data)

    def datagram_received(self, data, _):
        found = re.search(rb"(?mi)^(?:Call-ID|i): *([^\r\n]+)", data)
        # An answer may come twice: the softphone sends it again for a request that came twice.
        if data.startswith(b"SIP/2.0 ") and found and found.group(1) in self.under_way:
            self.take(found.group(1))


class OneWay(Channel):
    """Bytes to a netcat, which writes them into a file."""

    def __init__(self, program, kind, path):
        super().__init__(program, kind)
        self.path = path
        self.file = None

    def request(self, rng):
        data = rng.randbytes(rng.randrange(1, 1200))
        return data, data

    def look(self):
        """Takes what has been written since the last look."""
        self.file = self.file or open(self.path, "rb", buffering=0)
        while data := self.file.read(65536):
            self.data_received(data)

    def overdue(self):
        self.look()
        return super().overdue()

    def close(self):
        super().close()
        if self.file:
            self.file.close()
