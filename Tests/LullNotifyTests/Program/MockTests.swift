import LullModel
import LullWire
import TestSupport
import Testing

/// The server of python-dbusmock, which others test their programs with.
@Suite(.bounded) struct MockTests {
  @Test func `it is asked as the specification says`() throws {
    let stage = try NotifyStage(abilities: nil)
    let mock = try ConnectedChild(
      [
        "/usr/bin/python3", "-u", "-m", "dbusmock", "--template", "notification_daemon", "--parameters",
        "{\"capabilities\": \"actions body\"}",
      ], environment: ["DBUS_SESSION_BUS_ADDRESS=\(stage.address)"])
    stage.show(1, LocalNotification(body: "New VOIP call", action: "Answer", isCall: true))
    let asked = try mock.output.line { $0.contains(" Notify ") }
    #expect(asked.contains("\"phone\" 0 \"\" \"phone\" \"New VOIP call\""), "\(asked)")
    #expect(asked.contains("[\"default\", \"Open\", \"Answer\", \"Answer\"]"), "\(asked)")
    _ = try stage.place(of: 1)
    stage.tell(.withdraw(NotificationID(1)))
    _ = try mock.output.line { $0.contains(" CloseNotification 1") }
    try mock.signal(15)
    try mock.end()
  }
}
