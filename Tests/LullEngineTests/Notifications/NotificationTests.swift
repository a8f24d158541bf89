import LullEngine
import TestSupport
import Testing

@Suite(.bounded) struct NotificationTests {
  private let call = LocalNotification(body: "New VOIP call", action: "Answer")

  private func present(_ script: inout Script, _ name: String) -> [String] {
    let id = script.id(name)
    return script.ask(.present(id, call))
  }

  private func answer(_ script: inout Script, _ number: UInt32, action: String) -> [String] {
    script.ask(.answer(NotificationID(number), action: action))
  }

  /// A program with a notification, shown while it was awake for a call, and asleep again.
  private func sleeper() -> Script {
    var script = Script()
    script.asleep("phone")
    script.ready("phone")
    _ = present(&script, "phone")
    script.done("phone")
    script.frozen("phone")
    return script
  }

  @Test func `a notification of a program in the background is shown`() {
    var script = Script()
    script.asleep("phone")
    script.ready("phone")
    #expect(present(&script, "phone") == ["ok, notification 1", "show phone's 1, New VOIP call"])
    #expect(script.engine.notifications.map(\.program) == ["phone"])
  }

  @Test func `one of an active program is handed over quietly`() {
    var script = Script()
    script.launched("phone")
    #expect(present(&script, "phone") == ["ok, notification 1", "phone: received 1, New VOIP call"])
    #expect(script.engine.notifications.isEmpty)
  }

  @Test func `an active command cannot receive one: it is shown`() {
    var script = Script()
    script.register("nc") { $0.speaks = false }
    #expect(present(&script, "nc").last == "show nc's 1, New VOIP call")
  }

  @Test(arguments: ["Answer", "default"])
  func `an answer withdraws it, wakes the program and brings the action`(action: String) throws {
    var script = sleeper()
    #expect(
      answer(&script, 1, action: action) == [
        "ok", "withdraw 1", "thaw phone", "phone: woke, notification", "phone: 1 answered, \(action)",
      ])
    #expect(script.engine.notifications.isEmpty)
    #expect(try script.leases("phone") == [.wake])
  }

  @Test func `dismiss only takes it away`() {
    var script = sleeper()
    #expect(answer(&script, 1, action: "dismiss") == ["ok", "withdraw 1"])
    #expect(script.state("phone") == .suspended)
  }

  @Test func `an unknown notification or action is refused, and nothing is withdrawn`() {
    var script = sleeper()
    #expect(answer(&script, 9, action: "Answer") == ["refused"])
    #expect(script.refusal == .noSuchNotification(NotificationID(9)))
    #expect(answer(&script, 1, action: "Decline") == ["refused"])
    #expect(script.refusal == .noSuchAction("Decline"))
    #expect(script.engine.notifications.count == 1)
  }

  @Test func `it can be answered once`() {
    var script = sleeper()
    _ = answer(&script, 1, action: "Answer")
    #expect(answer(&script, 1, action: "Answer") == ["refused"])
  }

  @Test func `the end of the program withdraws what it has shown`() {
    var script = sleeper()
    #expect(script.feed(.exited(script.id("phone"), .signaled(9))) == ["withdraw 1", "forget phone"])
  }

  @Test func `over 128 shown ones the oldest are withdrawn`() {
    var script = Script()
    script.asleep("phone")
    script.ready("phone")
    for _ in 1...128 { #expect(present(&script, "phone").count == 2) }
    #expect(
      present(&script, "phone") == ["ok, notification 129", "withdraw 1", "show phone's 129, New VOIP call"])
    #expect(script.engine.notifications.count == 128)
  }

  @Test func `who has handled the wake has not handled the action yet`() throws {
    var script = Script()
    script.asleep("phone")
    let id = script.id("phone")
    var (engine, effects) = (script.engine, [Effect]())
    let content = LocalNotification(body: "call", action: "Answer")
    _ = engine.handle(.transition(id, .wake), at: script.now, effects: &effects)
    _ = engine.handle(.present(id, content), at: script.now, effects: &effects)
    engine.handle(.done(id, Ticket(.max - 1)), at: script.now, effects: &effects)
    effects = []
    let chosen = Engine.Request.answer(NotificationID(1), action: "Answer")
    #expect(engine.handle(chosen, at: script.now, effects: &effects) == .done)
    let tickets = effects.compactMap { effect -> Ticket? in
      switch effect {
      case .woke(_, _, let ticket), .action(_, _, _, let ticket): ticket
      default: nil
      }
    }
    try #require(tickets.count == 2)
    engine.handle(.done(id, tickets[0]), at: script.now, effects: &effects)
    #expect(engine.program(id, at: script.now)?.leases.map(\.kind) == [.wake])
    engine.handle(.done(id, tickets[1]), at: script.now, effects: &effects)
    #expect(engine.program(id, at: script.now)?.leases.isEmpty == true)
  }
}
