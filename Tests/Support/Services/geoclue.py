"""GeoClue 2.6 as python-dbusmock plays it, with its rules about what is told; `Fix` is its receiver."""

import math

import dbus
from dbusmock import MOCK_IFACE, mockobject

BUS_NAME = "org.freedesktop.GeoClue2"
MAIN_OBJ = "/org/freedesktop/GeoClue2/Manager"
MAIN_IFACE = "org.freedesktop.GeoClue2.Manager"
SYSTEM_BUS = True
CLIENT = "org.freedesktop.GeoClue2.Client"
LOCATION = "org.freedesktop.GeoClue2.Location"
KEPT = 2


def load(mock, parameters):
    mock.denied = parameters.get("denied", False)
    mock.clients = {}


@dbus.service.method(MAIN_IFACE, out_signature="o", sender_keyword="sender")
def GetClient(self, sender=None):
    self.count = getattr(self, "count", 0) + 1
    path = f"/org/freedesktop/GeoClue2/Client/{self.count}"
    properties = {
        "DesktopId": "",
        "DistanceThreshold": dbus.UInt32(0),
        "TimeThreshold": dbus.UInt32(0),
        "RequestedAccuracyLevel": dbus.UInt32(0),
        "Active": False,
    }
    refusal = 'raise dbus.exceptions.DBusException("no", name="org.freedesktop.DBus.Error.AccessDenied")'
    start = refusal if self.denied else 'self.UpdateProperties("%s", {"Active": dbus.Boolean(True)})' % CLIENT
    self.AddObject(path, CLIENT, properties, [("Start", "", "", start)])
    client = mockobject.objects[path]
    client.sender, client.place, client.told, client.count = sender, None, None, 0
    self.clients[path] = client

    def owner_changed(owner):
        if not owner and self.clients.pop(path, None):
            self.RemoveObject(path)

    self.connection.watch_name_owner(sender, owner_changed)
    return dbus.ObjectPath(path)


def metres(one, other):
    north = math.radians(other[0] - one[0])
    east = math.radians(other[1] - one[1]) * math.cos(math.radians(one[0]))
    return math.hypot(north, east) * 6371009


@dbus.service.method(MOCK_IFACE, in_signature="ddt")
def Fix(self, latitude, longitude, time):
    place = (latitude, longitude, int(time))
    for client in list(self.clients.values()):
        rules = client.props[CLIENT]
        if not rules["Active"] or client.place and place[2] < client.place[2]:
            continue
        client.place = place
        far, long = rules["DistanceThreshold"], rules["TimeThreshold"]
        if client.told and (metres(client.told, place) < far or abs(place[2] - client.told[2]) < long):
            continue
        client.told = place
        tell(client, place)


def tell(client, place):
    path = f"{client.path}/Location/{client.count}"
    old = f"{client.path}/Location/{client.count - 1}" if client.count else "/"
    client.AddObject(
        path,
        LOCATION,
        {
            "Latitude": float(place[0]),
            "Longitude": float(place[1]),
            "Accuracy": 5.0,
            "Altitude": -1.7976931348623157e308,
            "Speed": -1.0,
            "Heading": 90.0,
            "Description": "",
            "Timestamp": dbus.Struct((dbus.UInt64(place[2]), dbus.UInt64(0)), signature="tt"),
        },
        [],
    )
    if client.count >= KEPT:
        client.RemoveObject(f"{client.path}/Location/{client.count - KEPT}")
    client.count += 1
    places = [dbus.ObjectPath(old), dbus.ObjectPath(path)]
    client.EmitSignalDetailed(CLIENT, "LocationUpdated", "oo", places, {"destination": client.sender})


@dbus.service.method(MOCK_IFACE, in_signature="b")
def Allow(self, allowed):
    for client in self.clients.values():
        client.UpdateProperties(CLIENT, {"Active": dbus.Boolean(allowed)})


@dbus.service.method(MOCK_IFACE, out_signature="s")
def Asked(self):
    names = ["DesktopId", "RequestedAccuracyLevel", "DistanceThreshold", "TimeThreshold"]
    clients = [c.props[CLIENT] for c in self.clients.values()]
    return "; ".join(" ".join(str(c[name]) for name in names) for c in clients)
