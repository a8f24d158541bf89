"""A connector of UnifiedPush: what a distributor tells it on D-Bus goes to a program of Lull.

    lull run --detach --mode voip --name connector -- /usr/bin/python3 unifiedpush.py NAME DISTRIBUTOR

NAME is the program that gets the pushes, DISTRIBUTOR the distributor's name on the session bus, such as
org.unifiedpush.Distributor.ntfy. It sleeps on its connection to the bus. Needs python3-dbus and python3-gi.
"""
import subprocess
import sys

import dbus
import dbus.mainloop.glib
import dbus.service
from gi.repository import GLib

INTERFACE = "org.unifiedpush.Connector1"


class Connector(dbus.service.Object):
    @dbus.service.method(INTERFACE, in_signature="says")
    def Message(self, token, message, identifier):
        subprocess.run(["lull", "push", sys.argv[1]], input=bytes(message), check=False)

    @dbus.service.method(INTERFACE, in_signature="ss")
    def NewEndpoint(self, token, endpoint):
        # The program's own server pushes to this address.
        print("endpoint", endpoint, flush=True)

    @dbus.service.method(INTERFACE, in_signature="s")
    def Unregistered(self, token):
        sys.exit("the distributor has unregistered " + sys.argv[1])


dbus.mainloop.glib.DBusGMainLoop(set_as_default=True)
bus = dbus.SessionBus()
name = dbus.service.BusName("org.lull." + sys.argv[1], bus)
connector = Connector(bus, "/org/unifiedpush/Connector")
distributor = bus.get_object(sys.argv[2], "/org/unifiedpush/Distributor")
result, reason = distributor.Register(
    name.get_name(), sys.argv[1], "Lull", dbus_interface="org.unifiedpush.Distributor1")
if result != "REGISTRATION_SUCCEEDED":
    sys.exit(f"{sys.argv[2]}: {result} {reason}")
print("ready", flush=True)
GLib.MainLoop().run()
