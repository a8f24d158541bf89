import LullBus
import LullModel
import LullWire
import TestSupport
import Testing

/// lull-notify over a real bus, with a server and a lulld of the test.
@Suite(.bounded) struct ServiceTests {
  private static let call = LocalNotification(
    body: "New VOIP call", action: "Answer", sound: .default, isCall: true)

  @Test func `a call is shown as what it is, and its action comes back with the token of the desktop`() throws
  {
    let stage = try NotifyStage()
    stage.show(7, Self.call)
    try stage.wait(for: "not shown") { stage.server?.shown.count == 1 }
    let shown = try #require(stage.server?.shown.first)
    #expect(shown.program == "phone" && shown.summary == "phone" && shown.body == "New VOIP call")
    #expect(shown.actions == ["default", "Open", "Answer", "Answer", "dismiss", "Decline"])
    #expect(shown.urgency == .byte(2) && shown.category == .string("call.incoming"))
    _ = try stage.place(of: 7)
    stage.server?.choose("Answer", of: shown.number, token: "T1")
    try stage.told(.action(NotificationID(7), "Answer", token: "T1"))
    stage.server?.choose("default", of: shown.number)
    try stage.told(.action(NotificationID(7), "default", token: nil))
    stage.server?.choose("dismiss", of: shown.number)
    try stage.told(.action(NotificationID(7), "dismiss", token: nil))
  }

  @Test func `what the user closes is told, what has expired is only over`() throws {
    let stage = try NotifyStage()
    for number in 1...2 { stage.show(UInt32(number)) }
    _ = try stage.place(of: 2)
    stage.server?.end(1, reason: 2)
    try stage.told(.closed(NotificationID(1)))
    stage.server?.end(2, reason: 1)
    try stage.told(.placed(NotificationID(2), at: nil))
  }

  @Test func `the same number replaces what is shown, and withdrawing closes it`() throws {
    let stage = try NotifyStage()
    stage.show(1, Self.call)
    _ = try stage.place(of: 1)
    stage.show(1, LocalNotification(body: "Missed call"))
    try stage.wait(for: "not replaced") { stage.server?.shown.count == 2 }
    #expect(stage.server?.shown.last?.replaces == 1 && stage.server?.shown.last?.body == "Missed call")
    _ = try stage.place(of: 1)
    stage.tell(.withdraw(NotificationID(1)))
    try stage.wait(for: "not closed") { stage.server?.closed == [1] }
  }

  @Test func `another server shows what is pending, and what is over stays over`() throws {
    let stage = try NotifyStage()
    for number in 1...2 { stage.show(UInt32(number), .init(body: "\(number)")) }
    _ = try stage.place(of: 2)
    stage.server?.end(1, reason: 1)
    try stage.told(.placed(NotificationID(1), at: nil))
    stage.endServer()
    _ = try stage.told("no trouble") { if case .trouble(_?) = $0 { true } else { false } }
    try stage.startServer()
    try stage.told(.trouble(nil))
    try stage.wait(for: "not shown again") { stage.server?.shown.map(\.body) == ["2"] }
    // The numbers of the new server are its own.
    #expect(stage.server?.shown.first?.replaces == 0)
  }

  @Test func `another bus is found, and shows what is pending`() throws {
    let stage = try NotifyStage()
    stage.show(1)
    _ = try stage.place(of: 1)
    try stage.endBus()
    _ = try stage.told("no trouble") { if case .trouble(_?) = $0 { true } else { false } }
    try stage.startBus()
    try stage.startServer()
    try stage.wait(for: "not shown again") { stage.server?.shown.count == 1 }
    try stage.told(.trouble(nil))
  }

  @Test func `the next lull-notify takes over what the one before it showed`() throws {
    let stage = try NotifyStage()
    stage.show(1)
    let place = try stage.place(of: 1)
    try stage.startAnew()
    stage.tell(.renew)
    stage.show(1, place: place)
    stage.tell(.renewed)
    try stage.wait(for: "not shown") { stage.server?.shown.count == 2 }
    #expect(stage.server?.shown.last?.replaces == 1)
    try stage.closeLink()
    // What is shown cannot be answered any more.
    try stage.wait(for: "not closed") { stage.server?.closed == [1] }
  }

  @Test func `the next lull-notify closes what was withdrawn meanwhile, and nothing of another server`()
    throws
  {
    let stage = try NotifyStage()
    for number in 1...2 { stage.show(UInt32(number)) }
    let places = [try stage.place(of: 1), "0123456789abcdef0123456789abcdef/:1.77/2"]
    _ = try stage.place(of: 2)
    try stage.startAnew()
    stage.tell(.renew)
    for (index, place) in places.enumerated() {
      stage.tell(.withdraw(NotificationID(UInt32(index + 1)), at: place))
    }
    stage.tell(.renewed)
    for number in 1...2 { try stage.told(.placed(NotificationID(UInt32(number)), at: nil)) }
    try stage.wait(for: "not closed") { stage.server?.closed.isEmpty == false }
    #expect(stage.server?.closed == [1] && stage.server?.shown.count == 2)
  }

  @Test func `a place of another server is none`() throws {
    let stage = try NotifyStage()
    stage.show(1, place: "0123456789abcdef0123456789abcdef/:1.77/4")
    try stage.wait(for: "not shown") { stage.server?.shown.count == 1 }
    #expect(stage.server?.shown.first?.replaces == 0)
  }

  @Test func `a number of another server is not taken from the one that has it now`() throws {
    let stage = try NotifyStage()
    stage.show(2)
    _ = try stage.place(of: 2)
    stage.show(1, place: "0123456789abcdef0123456789abcdef/:1.77/1")
    _ = try stage.place(of: 1)
    stage.server?.choose("default", of: 1)
    try stage.told(.action(NotificationID(2), "default", token: nil))
    stage.show(3, place: "0123456789abcdef0123456789abcdef/:1.77/1")
    stage.tell(.withdraw(NotificationID(3)))
    stage.show(4)
    _ = try stage.place(of: 4)
    stage.server?.choose("default", of: 1)
    try stage.told(.action(NotificationID(2), "default", token: nil))
  }

  @Test func `a repeating notification is shown each time, and not by being told anew`() throws {
    let stage = try NotifyStage()
    stage.show(1)
    _ = try stage.place(of: 1)
    stage.show(1)
    try stage.wait(for: "not shown in its place") { stage.server?.shown.last?.replaces == 1 }
    _ = try stage.place(of: 1)
    stage.server?.end(1, reason: 1)
    try stage.told(.placed(NotificationID(1), at: nil))
    stage.show(1)
    try stage.wait(for: "not shown again") { stage.server?.shown.count == 3 }
    _ = try stage.place(of: 1)
    stage.tell(.renew)
    stage.show(1)
    stage.tell(.renewed)
    stage.show(2, LocalNotification(body: "the next"))
    try stage.wait(for: "not shown") { stage.server?.shown.last?.body == "the next" }
    #expect(stage.server?.shown.count == 4)
  }

  @Test func `what is not told anew is withdrawn`() throws {
    let stage = try NotifyStage()
    for number in 1...2 { stage.show(UInt32(number)) }
    _ = try stage.place(of: 2)
    stage.tell(.renew)
    stage.show(2)
    stage.tell(.renewed)
    try stage.wait(for: "not closed") { stage.server?.closed == [1] }
    #expect(stage.server?.shown.count == 2)
  }

  @Test func `whether the desktop wants to be left alone is told`() throws {
    let stage = try NotifyStage()
    stage.show(1)
    _ = try stage.place(of: 1)
    stage.server?.pause(true)
    try stage.told(.inhibited(.yes))
    stage.server?.pause(false)
    try stage.told(.inhibited(.no))
  }

  @Test func `when lulld has gone, nothing stays shown`() throws {
    let stage = try NotifyStage()
    for number in 1...3 { stage.show(UInt32(number)) }
    _ = try stage.place(of: 3)
    try stage.closeLink()
    // The bus hands on what lull-notify sent before its end.
    try stage.wait(for: "not closed") { stage.server?.closed == [1, 2, 3] }
  }
}
