import LullModel
import LullSystem
import LullWire
import TestSupport
import Testing

/// Buses and servers that do not do what they should.
@Suite(.bounded) struct TroubleTests {
  private func trouble(_ stage: NotifyStage) throws -> String {
    let told = try stage.told("no trouble") { if case .trouble(_?) = $0 { true } else { false } }
    guard case .trouble(let text?) = told else { throw Missing() }
    return text
  }

  @Test func `no bus is said once`() throws {
    let stage = try NotifyStage(abilities: nil, hasBus: false)
    stage.show(1)
    #expect(try trouble(stage).contains("no session bus"))
    try stage.startBus()
    _ = try stage.told("no server is missing") { message in
      if case .trouble(let text?) = message { text.hasPrefix("no notification server") } else { false }
    }
    try stage.startServer()
    try stage.wait(for: "not shown") { stage.server?.shown.count == 1 }
  }

  @Test func `no bus is nobody's trouble until something is to be shown`() throws {
    let stage = try MachineStage("logind")
    // It has looked for the session bus by then, and what it told is passed over.
    try stage.told("watching")
    stage.tell(.show(NotificationToShow(id: NotificationID(1), program: "phone", content: .init(body: "x"))))
    try stage.told("trouble(Optional(\"no session bus")
  }

  @Test func `no address is said with what to do`() throws {
    let check = try ConnectedChild(
      [Built.program("lull-notify"), "--check"],
      environment: ["DBUS_SESSION_BUS_ADDRESS=", "XDG_RUNTIME_DIR=/nonexistent"])
    #expect(try check.output.untilEnd().contains("session bus"))
    #expect(try check.end() == .exited(1))
  }

  @Test func `a bus that hangs is given up, and holds nothing up`() throws {
    let folder = try TemporaryDirectory()
    let path = "\(folder.path)/bus"
    let listener = try UnixSocket.listen(path: path)
    let stage = try NotifyStage(abilities: nil, hasBus: false, address: "unix:path=\(path)")
    stage.show(1)
    #expect(try trouble(stage) == "the session bus does not answer")
    try stage.closeLink()
    _ = listener
  }

  @Test func `a server without actions is shown the way to answer`() throws {
    let stage = try NotifyStage(abilities: ["body"])
    stage.show(3, LocalNotification(body: "A <b>call</b>", action: "Answer it", isCall: true))
    try stage.wait(for: "not shown") { stage.server?.shown.count == 1 }
    let shown = try #require(stage.server?.shown.first)
    #expect(shown.actions == [] && shown.body == "A <b>call</b>\nlull answer 3 'Answer it'")
  }

  @Test func `a refused notification does not hold up the others`() throws {
    let stage = try NotifyStage()
    stage.server?.refuses = true
    for number in 1...21 { stage.show(UInt32(number)) }
    try stage.wait(for: "not asked") { (stage.server?.refused ?? 0) >= 21 }
    stage.server?.refuses = false
    stage.show(22, LocalNotification(body: "shown"))
    try stage.wait(for: "not shown") { stage.server?.shown.contains { $0.body == "shown" } == true }
  }

  @Test func `a server that does not tell at first what it can do is asked again`() throws {
    let stage = try NotifyStage()
    stage.server?.refusesGreeting = true
    stage.show(1)
    try stage.wait(for: "not asked") { (stage.server?.refusedGreetings ?? 0) > 0 }
    #expect(try trouble(stage) == "the notification server does not answer")
    stage.server?.refusesGreeting = false
    try stage.told(.trouble(nil))
    try stage.wait(for: "not shown") { stage.server?.shown.count == 1 }
  }

  @Test func `of ten thousand at once the newest are shown, calls first`() throws {
    let stage = try NotifyStage()
    stage.show(1)
    _ = try stage.place(of: 1)
    for number in 2...10_000 {
      let isCall = number == 5_000
      stage.show(UInt32(number), LocalNotification(body: "\(number)", isCall: isCall))
    }
    try stage.wait(for: "the newest is not shown") { stage.server?.shown.last?.body == "10000" }
    let bodies = try #require(stage.server?.shown.map(\.body))
    #expect(bodies.count < 1000)
    #expect(bodies.contains("5000"))
    _ = try stage.told("nothing was given up") { if case .placed(_, nil) = $0 { true } else { false } }
  }
}
