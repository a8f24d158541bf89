"""A thermometer for others over Bluetooth that sleeps until it is read: `python3 thermometer.py ADAPTER`.

The argument is BlueZ's path of the adapter, such as /org/bluez/hci0. The program is a GATT application: BlueZ
asks it over D-Bus. The connection to D-Bus is the line, and no rule has the bus send more there than what is
for this program.
"""

import selectors
import socket
import sys

import dbus
import dbus.service
from dbus.mainloop.glib import DBusGMainLoop
from gi.repository import GLib
import lull

ROOT = "/thermometer"
SERVICE, CHARACTERISTIC = "org.bluez.GattService1", "org.bluez.GattCharacteristic1"
ADVERTISEMENT = "org.bluez.LEAdvertisement1"
# "Environmental Sensing", with "Temperature" in hundredths of a degree.
THERMOMETER = "0000181a-0000-1000-8000-00805f9b34fb"
TEMPERATURE = "00002a6e-0000-1000-8000-00805f9b34fb"


class Application(dbus.service.Object):
    """The objects of the service (org.bluez.GattManager1, "GATT Application Hierarchy")."""

    @dbus.service.method("org.freedesktop.DBus.ObjectManager", out_signature="a{oa{sa{sv}}}")
    def GetManagedObjects(self):
        service = {"UUID": THERMOMETER, "Primary": True}
        reads = dbus.Array(["read"], signature="s")
        temperature = {"UUID": TEMPERATURE, "Service": dbus.ObjectPath(ROOT + "/service"), "Flags": reads}
        return {
            dbus.ObjectPath(ROOT + "/service"): {SERVICE: service},
            dbus.ObjectPath(ROOT + "/service/temperature"): {CHARACTERISTIC: temperature},
        }


class Temperature(dbus.service.Object):
    @dbus.service.method(CHARACTERISTIC, in_signature="a{sv}", out_signature="ay")
    def ReadValue(self, options):
        print("read", flush=True)
        return dbus.ByteArray((2150).to_bytes(2, "little", signed=True))


class Advertisement(dbus.service.Object):
    @dbus.service.method("org.freedesktop.DBus.Properties", in_signature="s", out_signature="a{sv}")
    def GetAll(self, interface):
        uuids = dbus.Array([THERMOMETER], signature="s")
        return {"Type": "peripheral", "ServiceUUIDs": uuids, "LocalName": "Thermometer"}

    @dbus.service.method(ADVERTISEMENT)
    def Release(self):
        pass


class Thermometer:
    def __init__(self, adapter):
        self.selector = selectors.DefaultSelector()
        self.lull = lull.Program(
            "thermometer", modes=("bluetooth-peripheral",), handler=self.handle, alone=True)
        self.context = GLib.MainContext.default()
        bus = dbus.SystemBus(mainloop=DBusGMainLoop())
        paths = (ROOT, ROOT + "/service/temperature", ROOT + "/advertisement")
        kinds = (Application, Temperature, Advertisement)
        self.objects = [kind(bus, path) for kind, path in zip(kinds, paths)]
        bluez = bus.get_object("org.bluez", adapter, introspect=False)
        for interface, method, path in (
            ("org.bluez.GattManager1", "RegisterApplication", ROOT),
            ("org.bluez.LEAdvertisingManager1", "RegisterAdvertisement", ROOT + "/advertisement"),
        ):
            # BlueZ asks back before it answers.
            bluez.get_dbus_method(method, interface)(
                dbus.ObjectPath(path),
                dbus.Dictionary(signature="sv"),
                reply_handler=lambda method=method: print(method, flush=True),
                error_handler=sys.exit,
            )
        line = socket.socket(fileno=bus.get_unix_fd())
        self.selector.register(line, selectors.EVENT_READ, self.serve)
        self.lull.hold(line, type="bluetooth")
        self.serve(line)

    def serve(self, _):
        while self.context.iteration(False):
            pass

    def handle(self, event):
        if isinstance(event, lull.Wake):
            print("woken", event.reason, flush=True)


if __name__ == "__main__":
    thermometer = Thermometer(sys.argv[1])
    thermometer.lull.run(thermometer.selector)
