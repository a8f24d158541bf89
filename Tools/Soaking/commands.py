"""Programs that were never written for Lull."""

import os

import protocols
import traffic
from programs import Program, free_port
import socket


class EchoProgram(Program):
    """The echo program of Tools/bench: three processes, epoll and blocking calls, TCP and UDP."""

    def command(self):
        self.ports = [free_port(), free_port(), free_port(socket.SOCK_DGRAM)]
        return [self.world.tool("lull-bench"), "echo", *self.ports]

    async def connect(self):
        epoll, blocking, datagrams = self.ports
        await self.open(traffic.Echo(self, "TCP, epoll"), epoll)
        await self.open(traffic.Echo(self, "TCP, epoll, 2"), epoll)
        await self.open(traffic.Echo(self, "TCP, blocking"), blocking)
        await self.open(traffic.Datagrams(self, "UDP, epoll"), epoll, datagrams=True)
        await self.open(traffic.Datagrams(self, "UDP, blocking"), datagrams, datagrams=True)


class RedisProgram(Program):
    is_purgeable = True

    def command(self):
        self.port = free_port()
        return ["redis-server", "--port", self.port, "--bind", "127.0.0.1", "--save", "", "--hz", "1",
                "--appendonly", "no", "--logfile", f"{self.world.folder}/{self.name}.redis"]

    async def connect(self):
        for number in range(2):
            await self.open(traffic.Redis(self, f"TCP {number}"), self.port)


class HttpProgram(Program):
    """A server of the pages in its folder."""

    def make_pages(self):
        self.port = free_port()
        self.folder = f"{self.world.folder}/{self.name}"
        os.makedirs(self.folder, exist_ok=True)
        self.pages = {f"page{size}": os.urandom(size) for size in (10, 700, 20000)}
        for name, text in self.pages.items():
            with open(f"{self.folder}/{name}", "wb") as file:
                file.write(text)

    async def connect(self):
        for number in range(2):
            await self.open(protocols.Http(self, f"HTTP {number}"), self.port)


class NginxProgram(HttpProgram):
    CONFIGURATION = """daemon off;
user root;
worker_processes 1;
pid {folder}/nginx.pid;
error_log {folder}/error.log;
events {{}}
http {{
  access_log off;
  keepalive_timeout 1d;
  keepalive_requests 1000000000;
  client_body_temp_path {folder}/body;
  server {{ listen 127.0.0.1:{port}; root {folder}; }}
}}
"""

    def command(self):
        self.make_pages()
        with open(f"{self.folder}/nginx.conf", "w") as file:
            file.write(self.CONFIGURATION.format(folder=self.folder, port=self.port))
        return ["nginx", "-c", f"{self.folder}/nginx.conf", "-e", f"{self.folder}/error.log"]


class NodeProgram(HttpProgram):
    SERVER = """const [folder, port] = process.argv.slice(1)
const server = require("http").createServer((request, response) =>
  require("fs").readFile(folder + request.url, (error, text) => response.end(text)))
server.keepAliveTimeout = 0
server.listen(port, "127.0.0.1")
"""

    def command(self):
        self.make_pages()
        return ["node", "-e", self.SERVER, self.folder, self.port]


class BaresipProgram(Program):
    CONFIGURATION = """poll_method epoll
sip_listen 127.0.0.1:{port}
net_interface {device}
audio_player aubridge,nil
audio_source aubridge,nil
audio_alert aubridge,nil
dns_server 127.0.0.1:53
module_path {modules}
module g711.so
module aubridge.so
module_tmp uuid.so
module_tmp account.so
module_app menu.so
"""

    def command(self):
        self.port = free_port(socket.SOCK_DGRAM)
        folder = f"{self.world.folder}/{self.name}"
        os.makedirs(folder, exist_ok=True)
        with open(f"{folder}/config", "w") as file:
            file.write(self.CONFIGURATION.format(
                port=self.port, device="127.0.0.1", modules="/usr/lib/baresip/modules"))
        with open(f"{folder}/accounts", "w") as file:
            file.write("<sip:alice@127.0.0.1>;regint=0;answermode=manual\n")
        return ["baresip", "-4", "-f", folder]

    async def connect(self):
        await self.open(protocols.Options(self, "SIP"), self.port, datagrams=True)


class NetcatProgram(Program):
    """Writes what it receives to its standard output, which is a file."""

    def command(self):
        self.port = free_port()
        self.path = f"{self.world.folder}/{self.name}.heard"
        # The last one's file may still be open.
        if os.path.exists(self.path):
            os.unlink(self.path)
        return ["sh", "-c", 'exec nc -d -l 127.0.0.1 "$0" >"$1"', self.port, self.path]

    async def connect(self):
        await self.open(protocols.OneWay(self, "netcat", self.path), self.port)
