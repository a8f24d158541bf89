import LullModel
import LullWire
import TestSupport
import Testing

/// What tells of a missed call and of a notification without an answer: a vibration, and a number.
@Suite(.bounded) struct MissedTests {
  private static let call = LocalNotification(
    body: "New VOIP call", action: "Answer", sound: .default, isCall: true)

  @Test func `a call that becomes a message was missed`() throws {
    let stage = try NotifyStage()
    let phone = try FakePhone(at: stage.address)
    stage.show(1, Self.call)
    _ = try stage.place(of: 1)
    #expect(phone.feedback == [] && phone.badges == [])
    stage.show(1, LocalNotification(body: "Missed call at 23:41"))
    try stage.wait(with: phone, for: "no vibration") { phone.feedback == ["phone phone-missed-call"] }
    try stage.wait(with: phone, for: "no number") { phone.badges == ["application://phone.desktop 1 true"] }
    stage.tell(.withdraw(NotificationID(1)))
    try stage.wait(with: phone, for: "the number stays") {
      phone.badges.last == "application://phone.desktop 0 false"
    }
  }

  @Test func `an answered call is no missed one, and has no number`() throws {
    let stage = try NotifyStage()
    let phone = try FakePhone(at: stage.address)
    stage.show(1, Self.call)
    _ = try stage.place(of: 1)
    stage.show(1, LocalNotification(body: "In a call", action: "Hang up", isCall: true))
    _ = try stage.place(of: 1)
    stage.tell(.withdraw(NotificationID(1)))
    stage.show(2, LocalNotification(body: "a message"))
    try stage.wait(with: phone, for: "no number") { phone.badges == ["application://phone.desktop 1 true"] }
    #expect(phone.feedback == [])
  }

  @Test func `what the desktop takes away unanswered vibrates once, unless it is quiet`() throws {
    let stage = try NotifyStage()
    let phone = try FakePhone(at: stage.address)
    for number in 1...3 {
      let content = LocalNotification(body: "\(number)")
      stage.tell(
        .show(
          NotificationToShow(
            id: NotificationID(UInt32(number)), program: "phone", content: content, isQuiet: number == 1)))
    }
    _ = try stage.place(of: 3)
    stage.server?.end(1, reason: 1)
    stage.server?.end(2, reason: 2)
    stage.server?.end(3, reason: 1)
    try stage.wait(with: phone, for: "no vibration") { !phone.feedback.isEmpty }
    try stage.told(.placed(NotificationID(3), at: nil))
    // The user has put the second one away: lulld withdraws it. Those that have expired still count.
    stage.tell(.withdraw(NotificationID(2)))
    try stage.wait(with: phone, for: "another number") {
      phone.badges.last == "application://phone.desktop 2 true"
    }
    #expect(phone.feedback == ["phone message-missed-notification"])
  }

  @Test func `a launcher that comes later is told, and the numbers go with lulld`() throws {
    let stage = try NotifyStage()
    stage.show(1)
    _ = try stage.place(of: 1)
    let phone = try FakePhone(at: stage.address)
    try stage.wait(with: phone, for: "no number") { phone.badges == ["application://phone.desktop 1 true"] }
    try stage.closeLink()
    try stage.wait(with: phone, for: "the number stays") {
      phone.badges.last == "application://phone.desktop 0 false"
    }
  }
}
