"""An echo server that sleeps: `python3 echo.py PORT`.

It is frozen while nobody sends anything, woken by a connection or by bytes, and serves on without lulld. A
connection that sends `notify` has it show a notification; `task` keeps it awake until the next line.
"""

import selectors
import socket
import sys

from lull import Lull


class Echo:
    def __init__(self, port):
        self.selector = selectors.DefaultSelector()
        self.lull = Lull("echo", modes="voip", wake=self.woken, keepalive=self.kept, action=self.chosen)
        self.listener = socket.create_server(("127.0.0.1", port))
        self.task = None
        self.serve(self.listener, self.accept)
        self.lull.set_keepalive(600)

    def serve(self, one, handler):
        self.selector.register(one, selectors.EVENT_READ, handler)
        self.lull.hold(one)

    def accept(self, listener):
        connection, _ = listener.accept()
        self.serve(connection, self.read)

    def read(self, connection):
        data = connection.recv(4096)
        if not data:
            self.selector.unregister(connection)
            self.lull.release(connection)
            return connection.close()
        if data == b"notify\n":
            self.lull.present("Somebody wrote", action="Answer")
        if self.task:
            self.lull.end_task(self.task)
            self.task = None
        elif data == b"task\n":
            self.task = self.lull.begin_task("echo")
        connection.sendall(data)

    def woken(self, fields):
        print("woken", fields["reason"], flush=True)

    def kept(self, fields):
        print("kept alive", flush=True)

    def chosen(self, fields):
        print("chosen", fields["action"], flush=True)

    def run(self):
        print("ready", flush=True)
        self.lull.run(self.selector)


if __name__ == "__main__":
    Echo(int(sys.argv[1])).run()
