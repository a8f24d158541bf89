"""A heart rate monitor that sleeps between two beats: `python3 heart.py CHARACTERISTIC`.

The argument is BlueZ's path of the characteristic "Heart Rate Measurement" of a belt that is connected. BlueZ
hands over a descriptor of its own for what the belt sends (AcquireNotify): nothing else can come there, and
nothing else wakes the program.
"""

import selectors
import socket
import sys

import dbus
import lull


class Monitor:
    def __init__(self, path):
        self.selector = selectors.DefaultSelector()
        self.lull = lull.Program("heart", modes=("bluetooth-central",), handler=self.handle)
        self.bus = dbus.SystemBus()
        belt = self.bus.get_object("org.bluez", path, introspect=False)
        characteristic = dbus.Interface(belt, "org.bluez.GattCharacteristic1")
        descriptor, _ = characteristic.AcquireNotify(dbus.Dictionary(signature="sv"))
        self.belt = socket.socket(fileno=descriptor.take())
        self.selector.register(self.belt, selectors.EVENT_READ, self.beat)
        self.lull.hold(self.belt, type="bluetooth")

    def beat(self, belt):
        value = belt.recv(512)
        if not value:
            sys.exit("the belt is gone")
        # The first bit says whether the rate has one byte or two (Heart Rate Service 1.0, section 3.1).
        rate = int.from_bytes(value[1 : 3 if value[0] & 1 else 2], "little")
        print(rate, "beats in a minute", flush=True)

    def handle(self, event):
        if isinstance(event, lull.Wake):
            print("woken", event.reason, flush=True)

    def run(self):
        print("ready", flush=True)
        self.lull.run(self.selector)


if __name__ == "__main__":
    Monitor(sys.argv[1]).run()
