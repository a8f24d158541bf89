"""An echo server that sleeps: `python3 echo.py PORT`.

It is frozen while nobody sends anything, woken by a connection or by bytes, and serves on without lulld. A
connection that sends `notify` has it show a notification; `task` keeps it awake until the next line.
"""

import selectors
import socket
import sys

import lull


class Echo:
    def __init__(self, port):
        self.selector = selectors.DefaultSelector()
        self.lull = lull.Program("echo", handler=self.handle, alone=True)
        self.listener = socket.create_server(("127.0.0.1", port))
        self.lines, self.task = {}, None
        self.serve(self.listener, self.accept)
        self.lull.set_keepalive(600)

    def serve(self, one, handler):
        self.selector.register(one, selectors.EVENT_READ, handler)
        self.lines[one] = self.lull.hold(one)

    def accept(self, listener):
        connection, _ = listener.accept()
        self.serve(connection, self.read)

    def read(self, connection):
        data = connection.recv(4096)
        if not data:
            self.selector.unregister(connection)
            self.lull.release(self.lines.pop(connection))
            return connection.close()
        if data == b"notify\n":
            self.lull.present(lull.Notification("Somebody wrote", action="Answer"))
        if self.task:
            self.lull.end_task(self.task)
            self.task = None
        elif data == b"task\n":
            self.task = self.lull.begin_task("echo")
        connection.sendall(data)

    def handle(self, event):
        match event:
            case lull.Wake(reason):
                print("woken", reason, flush=True)
            case lull.KeepAlive():
                print("kept alive", flush=True)
            case lull.Action(action=action):
                print("chosen", action, flush=True)

    def run(self):
        print("ready", flush=True)
        self.lull.run(self.selector)


if __name__ == "__main__":
    Echo(int(sys.argv[1])).run()
