import LullWire
import TestSupport
import Testing

/// A click on the desktop lets the program come to the front, by the token of the desktop.
@Suite(.bounded) struct ActivationTests {
  /// A notification server whose user clicks on the action of whatever is shown.
  private static let server = """
    import dbus, dbus.service
    from dbus.mainloop.glib import DBusGMainLoop
    from gi.repository import GLib
    NAME = "org.freedesktop.Notifications"

    class Server(dbus.service.Object):
      @dbus.service.method(NAME, in_signature="", out_signature="as")
      def GetCapabilities(self):
        return ["actions", "body"]

      @dbus.service.method(NAME, in_signature="susssasa{sv}i", out_signature="u")
      def Notify(self, name, number, icon, summary, body, actions, hints, timeout):
        GLib.idle_add(self.choose, actions[-2])
        return dbus.UInt32(1)

      @dbus.service.method(NAME, in_signature="u", out_signature="")
      def CloseNotification(self, number):
        print("closed", flush=True)

      @dbus.service.signal(NAME, signature="us")
      def ActivationToken(self, number, token):
        pass

      @dbus.service.signal(NAME, signature="us")
      def ActionInvoked(self, number, key):
        pass

      def choose(self, key):
        self.ActivationToken(1, "a token")
        self.ActionInvoked(1, key)
        return False

    DBusGMainLoop(set_as_default=True)
    bus = dbus.SessionBus()
    server = Server(bus, "/org/freedesktop/Notifications")
    name = dbus.service.BusName(NAME, bus)
    print("ready", flush=True)
    GLib.MainLoop().run()
    """

  @Test func `a program is told the token of the desktop with the action that was chosen`() throws {
    try Executables.require("dbus-daemon", package: "dbus-daemon")
    let folder = try TemporaryDirectory()
    let variable = "DBUS_SESSION_BUS_ADDRESS=unix:path=\(folder.path)/bus"
    let bus = try ConnectedChild(
      [
        "dbus-daemon", "--session", "--nofork", "--nosyslog", "--print-address",
        "--address=unix:path=\(folder.path)/bus",
      ])
    _ = try bus.output.line()
    let server = try ConnectedChild(["/usr/bin/python3", "-c", Self.server], environment: [variable])
    #expect(try server.output.line() == "ready")
    let lull = try Lull(environment: [variable])
    let puppet = try Puppet.awake(lull)
    try puppet.ask("present body=b action=Answer")
    let notice = try puppet.notice(.action)
    #expect(notice["action"] == "Answer" && notice["token"] == "a token")
    #expect(try server.output.line() == "closed")
    try puppet.ask("present body=b action=Answer")
    #expect(try puppet.notice(.action)["token"] == "a token")
  }
}
