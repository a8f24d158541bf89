import LullModel
import LullWire
import TestSupport
import Testing

/// The server of python-dbusmock, which others test their programs with.
@Suite(.bounded) struct MockTests {
  private func mock(for stage: NotifyStage) throws -> ConnectedChild {
    try ConnectedChild(
      [
        "/usr/bin/python3", "-u", "-m", "dbusmock", "--template", "notification_daemon", "--parameters",
        "{\"capabilities\": \"actions body\"}",
      ], environment: ["DBUS_SESSION_BUS_ADDRESS=\(stage.address)"])
  }

  @Test func `it is asked as the specification says`() throws {
    let stage = try NotifyStage(abilities: nil)
    let mock = try mock(for: stage)
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

  @Test func `what was withdrawn while lull-notify was dead is closed by the next one`() throws {
    let stage = try NotifyStage(abilities: nil)
    let mock = try mock(for: stage)
    stage.show(1)
    let place = try stage.place(of: 1)
    try stage.startAnew()
    for message in [MessageToNotify.renew, .withdraw(NotificationID(1), at: place), .renewed] {
      stage.tell(message)
    }
    _ = try mock.output.line { $0.contains(" CloseNotification 1") }
    try stage.told(.placed(NotificationID(1), at: nil))
    try mock.signal(15)
    try mock.end()
  }
}
