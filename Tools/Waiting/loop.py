"""Lines of pipes and sockets, as they come."""
import os
import selectors
import time


class Loop:
    def __init__(self):
        self.selector = selectors.DefaultSelector()

    def add(self, file, hear) -> None:
        """Each line of the file goes to `hear`, and None at its end."""
        self.selector.register(file, selectors.EVENT_READ, [bytearray(), hear])

    def listen(self, listener, accept) -> None:
        self.selector.register(listener, selectors.EVENT_READ, accept)

    def forget(self, file) -> None:
        if file.fileno() in self.selector.get_map():
            self.selector.unregister(file)

    def wait(self, is_so, seconds: float) -> bool:
        end = time.monotonic() + seconds
        while not is_so():
            left = end - time.monotonic()
            if left <= 0:
                return False
            # Some conditions are of the time too.
            for key, _ in self.selector.select(min(left, 0.05)):
                self.take(key)
        return True

    def take(self, key) -> None:
        if callable(key.data):
            return key.data()
        rest, hear = key.data
        try:
            data = os.read(key.fd, 65536)
        except ConnectionResetError:
            data = b""
        rest += data
        *lines, last = rest.split(b"\n")
        rest[:] = last
        for line in lines:
            hear(line.decode(errors="replace"))
        if not data:
            self.selector.unregister(key.fileobj)
            hear(None)
