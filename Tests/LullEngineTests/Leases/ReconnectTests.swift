import LullEngine
import TestSupport
import Testing

/// The network has changed, or the machine was asleep.
@Suite(.bounded) struct ReconnectTests {
  @Test(arguments: [WakeReason.network, .resumed])
  func `a sleeper gets a minute to connect again, or less when it says done`(reason: WakeReason) {
    var script = Script()
    script.asleep("phone")
    #expect(script.reconnect("phone", reason) == ["thaw phone", "phone: woke, \(reason)"])
    #expect(script.pass(to: 59.9) == [])
    #expect(script.pass(to: 60) == ["60 s: freeze phone"])
    script.frozen("phone")
    script.reconnect("phone", reason)
    #expect(script.done("phone") == ["freeze phone"])
  }

  @Test func `one that is awake in the background is told as well, and one in the foreground is not`() {
    var script = Script()
    script.asleep("phone")
    script.ready("phone")
    #expect(script.reconnect("phone", .network) == ["phone: woke, network"])
    script.command("phone", .foreground)
    script.did("phone")
    script.did("phone")
    #expect(script.reconnect("phone", .network) == [])
  }

  @Test func `a program without the mode voip sleeps on`() {
    var script = Script()
    script.launched("heart", .externalAccessory)
    script.hold("heart", .accessory)
    script.sendToBackground("heart")
    script.frozen("heart")
    #expect(script.reconnect("heart", .network) == [])
  }

  @Test func `a command is not observed before the minute is over`() throws {
    var script = Script.observed()
    script.find("server")
    script.sleeps(Observation([.waiting(.sources, for: nil)], [.line(1)]))
    script.pass(to: 100)
    #expect(script.reconnect("server", .network).first == "thaw server")
    #expect(script.pass(to: 159.9) == [])
    #expect(script.pass(to: 160) == ["160 s: freeze server"])
  }
}

/// The wake that a program asks for.
@Suite(.bounded) struct WakeTimerRuleTests {
  @Test func `a sleeper is woken at its moment, once`() {
    var script = Script()
    script.asleep("phone")
    script.command("phone", .wake)
    #expect(script.wakeIn("phone", 60) == ["ok"])
    script.done("phone")
    script.frozen("phone")
    #expect(script.pass(to: 59.9) == [])
    #expect(script.pass(to: 60) == ["60 s: thaw phone", "60 s: phone: woke, timer"])
    #expect(script.done("phone") == ["freeze phone"])
    script.frozen("phone")
    #expect(script.pass(to: 1000) == [])
  }

  @Test func `one that is awake then runs its timer itself`() {
    var script = Script()
    script.asleep("phone")
    script.command("phone", .foreground)
    script.did("phone")
    script.wakeIn("phone", 60)
    #expect(script.pass(to: 100) == [])
  }

  @Test func `the last request counts, none clears it, and it is never short`() {
    var script = Script()
    script.asleep("phone")
    script.command("phone", .wake)
    script.wakeIn("phone", 60)
    script.wakeIn("phone", 1)
    script.done("phone")
    script.frozen("phone")
    #expect(script.pass(to: 15) == ["15 s: thaw phone", "15 s: phone: woke, timer"])
    script.wakeIn("phone", 60)
    script.wakeIn("phone", nil)
    script.done("phone")
    script.frozen("phone")
    #expect(script.pass(to: 1000) == [])
  }

  @Test func `it takes the mode voip`() {
    var script = Script()
    script.launched("heart", .externalAccessory)
    script.wakeIn("heart", 60)
    #expect(script.refusal == .wrongMode(.voip))
  }

  @Test func `a keep-alive whose window is open runs with it`() {
    var script = Script()
    script.asleep("phone")
    script.launched("other")
    script.keepAlive("other", 700)
    script.sendToBackground("other")
    script.frozen("other")
    script.command("phone", .wake)
    script.wakeIn("phone", 650)
    script.done("phone")
    script.frozen("phone")
    #expect(script.pass(to: 650).contains("650 s: other: keep-alive"))
  }
}

extension Script {
  @discardableResult
  mutating func reconnect(_ name: String, _ reason: WakeReason) -> [String] {
    feed(.reconnect(id(name), reason))
  }

  @discardableResult
  mutating func wakeIn(_ name: String, _ seconds: Int64?) -> [String] {
    let id = id(name)
    return ask(.wakeIn(id, seconds.map(Interval.seconds)))
  }
}
