import LullBus
import LullModel
import LullWire
import TestSupport
import Testing

@testable import LullNotify

/// A server that answers late.
@Suite(.bounded) struct SilenceTests {
  @Test func `a server that is slow once is told as trouble, and then shows everything`() throws {
    let stage = try NotifyStage(abilities: nil)
    let fake = try FakeServer(at: stage.address)
    let bus = try Bus(.address(stage.address))
    // It has answered nothing after 1 ms.
    let server = NotificationServer(patience: 1_000_000)
    var told: [MessageFromNotify] = []
    let display = Display(server) { told.append($0) }
    func turn(until holds: () -> Bool) throws {
      try eventually("not told: \(told)") {
        #expect(bus.process())
        display.work(isHopeless: false)
        return holds()
      }
    }
    func show(_ number: UInt32) {
      display.show(
        NotificationToShow(id: NotificationID(number), program: "phone", content: .init(body: "Hello")))
    }
    let silent = MessageFromNotify.trouble("the notification server does not answer")

    try server.connected(bus)
    show(1)
    try turn { told.last == silent }
    try turn {
      fake.answer()
      return server.abilities != nil
    }
    told = []
    show(2)
    try turn { told.last == silent }
    display.withdraw(NotificationID(2))
    try turn {
      fake.answer()
      return fake.shown.count == 2 && fake.closed.count == 1
    }
    #expect(told.contains(.trouble(nil)))
    let number = fake.shown.map(\.number).first { $0 != fake.closed[0] }
    fake.end(try #require(number), reason: 2)
    try turn { told.last == .closed(NotificationID(1)) }
  }
}
