"""A softphone's connection: `softphone.py PORT`. It answers its server's `ping` from its sleep, shows a
notification for `notify`, and goes on with the connection in its next life, where Lull has kept it.
"""

import selectors
import socket
import sys

import lull


class Phone:
    def __init__(self, port):
        self.lull = lull.Program("softphone", handler=self.handle, keeps_lines=True)
        self.pings = b"0"  # what the next life has to know of the connection
        if self.lull.restored:
            last = self.lull.restored[0]
            self.pings = last.state or self.pings
            self.line = self.lull.take(last)
        else:
            self.line = self.lull.hold(socket.create_connection(("127.0.0.1", port)), name="server")
        self.server = self.line.file
        self.lull.set_keepalive(600)
        self.selector = selectors.DefaultSelector()
        self.selector.register(self.server, selectors.EVENT_READ, self.receive)

    def handle(self, event):
        match event:
            case lull.Wake(reason):
                print("woken", reason, flush=True)
            case lull.KeepAlive():
                self.server.sendall(b"ping\n")
            case lull.Message("willTerminate"):
                self.lull.close()

    def receive(self, _):
        """Each read is taken for whole lines, which is enough for an example."""
        data = self.server.recv(512)
        for line in data.split():
            if line == b"ping":
                self.pings = b"%d" % (int(self.pings) + 1)
                # Before the answer: the next life knows of each ping that was answered.
                self.lull.set_state(self.line, self.pings)
                self.server.sendall(b"pong\n")
            elif line == b"pings":
                self.server.sendall(self.pings + b"\n")
            elif line == b"notify":
                self.lull.present(lull.Notification("New VOIP call", action="Answer"))
        if not data:
            self.lull.close()


if __name__ == "__main__":
    phone = Phone(int(sys.argv[1]))
    phone.lull.run(phone.selector)
