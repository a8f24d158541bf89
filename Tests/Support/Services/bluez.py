"""BlueZ as python-dbusmock plays it: an adapter, and a belt that measures the heart rate."""

import socket

import dbus
from dbusmock import MOCK_IFACE, mockobject

BUS_NAME = "org.bluez"
MAIN_OBJ = "/org/bluez/hci0"
MAIN_IFACE = "org.bluez.GattManager1"
SYSTEM_BUS = True
BELT = MAIN_OBJ + "/belt"
CHARACTERISTIC = "org.bluez.GattCharacteristic1"


def load(mock, parameters):
    advertise = [("RegisterAdvertisement", "oa{sv}", "", "")]
    mock.AddMethods("org.bluez.LEAdvertisingManager1", advertise)
    mock.AddObject(BELT, "org.bluez.Device1", {"RSSI": dbus.Int16(-60)}, [])
    acquire = [("AcquireNotify", "a{sv}", "hq", "ret = objects['%s'].acquire()" % MAIN_OBJ)]
    mock.AddObject(BELT + "/rate", CHARACTERISTIC, {}, acquire)

    def acquired():
        mock.ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        with theirs:
            return dbus.types.UnixFd(theirs.fileno()), dbus.UInt16(23)

    mock.acquire = acquired


@dbus.service.method(MOCK_IFACE, in_signature="ay")
def Beat(self, value):
    self.ours.send(bytes(value))


@dbus.service.method(MOCK_IFACE)
def Leave(self):
    self.ours.close()


@dbus.service.method(MOCK_IFACE, in_signature="i")
def Near(self, strength):
    """As while devices are looked for: every program that asked for it hears of the belt."""
    mockobject.objects[BELT].UpdateProperties("org.bluez.Device1", {"RSSI": dbus.Int16(strength)})


@dbus.service.method(
    MAIN_IFACE, in_signature="oa{sv}", sender_keyword="sender", async_callbacks=("done", "fail")
)
def RegisterApplication(self, path, options, sender, done, fail):
    self.application = (sender, path)
    objects = self.connection.get_object(sender, path, introspect=False)
    objects.GetManagedObjects(
        dbus_interface="org.freedesktop.DBus.ObjectManager",
        reply_handler=lambda _: done(),
        error_handler=fail,
    )


@dbus.service.method(MOCK_IFACE, out_signature="ay", async_callbacks=("done", "fail"))
def Read(self, done, fail):
    """A device reads the thermometer."""
    sender, path = self.application
    temperature = self.connection.get_object(sender, path + "/service/temperature", introspect=False)
    temperature.ReadValue(
        dbus.Dictionary(signature="sv"), dbus_interface=CHARACTERISTIC, reply_handler=done, error_handler=fail
    )
