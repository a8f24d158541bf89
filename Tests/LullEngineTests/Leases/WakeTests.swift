import LullEngine
import TestSupport
import Testing

@Suite(.bounded) struct WakeTests {
  @Test func `data wakes a sleeping program: the thaw goes first`() throws {
    var script = Script()
    script.asleep("phone")
    #expect(script.ready("phone") == ["thaw phone", "phone: woke, data on line 1"])
    #expect(script.state("phone") == .background)
    #expect(try script.leases("phone") == [.wake])
    #expect(try script.view("phone").lastWake?.reason == .data)
    #expect(try script.view("phone").lastWake?.line == LineID(1))
  }

  @Test func `run time that runs out freezes the program and is told in the journal`() {
    var script = Script()
    script.asleep("phone")
    script.ready("phone")
    _ = script.takeNotes()
    #expect(script.pass(to: 10) == ["10 s: freeze phone"])
    #expect(script.takeNotes() == [.leaseEnded(.wake, overrun: true)])
  }

  @Test func `readiness of a program that is awake is stale`() {
    var script = Script()
    script.asleep("phone")
    script.ready("phone")
    #expect(script.ready("phone") == [])
    #expect(script.pass(to: 10) == ["10 s: freeze phone"])
  }

  @Test func `readiness of an unknown line wakes nobody`() {
    var script = Script()
    script.asleep("phone")
    #expect(script.ready("phone", line: 7) == [])
    #expect(script.state("phone") == .suspended)
  }

  @Test func `a line that was lost or released wakes nobody`() throws {
    var script = Script()
    script.asleep("phone")
    #expect(script.feed(.lineLost(script.id("phone"), LineID(1))) == [])
    #expect(script.ready("phone") == [])
    #expect(try script.view("phone").lines.isEmpty)
  }
}

@Suite(.bounded) struct WakeBudgetTests {
  @Test func `fifteen wakes in 300 s are nothing, the sixteenth is noted once`() throws {
    var script = Script()
    script.asleep("phone")
    for number in 1...20 {
      script.pass(to: Double(number) * 10)
      wakeOnce(&script)
      #expect(overBudget(&script) == (number == 16 ? [16] : []))
      #expect(try script.view("phone").isOverBudget == (number >= 16))
    }
  }

  @Test func `another wake takes the delayed one along`() {
    var script = Script()
    script.asleep("phone") { $0.settings.batchWakes = .seconds(30) }
    for number in 1...16 {
      script.pass(to: Double(number))
      wakeOnce(&script)
    }
    script.ready("phone")
    script.pass(to: 20)
    script.command("phone", .wake)
    script.done("phone")
    script.frozen("phone")
    #expect(script.pass(to: 100) == [])
  }

  private func wakeOnce(_ script: inout Script) {
    script.ready("phone")
    script.done("phone")
    script.frozen("phone")
  }

  private func overBudget(_ script: inout Script) -> [Int] {
    script.takeNotes().compactMap { if case .overBudget(let wakes) = $0 { wakes } else { nil } }
  }
}

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
}

extension Script {
  @discardableResult
  mutating func reconnect(_ name: String, _ reason: WakeReason) -> [String] {
    feed(.reconnect(id(name), reason))
  }
}

@Suite(.bounded) struct TaskTests {
  @Test func `a task that is still open at the end kills the program`() {
    var script = Script()
    script.launched("phone")
    script.beginTask("phone")
    script.sendToBackground("phone")
    #expect(script.pass(to: 700) == ["595 s: phone: task 1 expires", "600 s: kill phone, task-limit"])
    #expect(script.takeNotes().suffix(2) == [.taskExpired(TaskID(1)), .killed(.taskLimit)])
  }

  @Test func `in the foreground again the task goes on without a limit`() {
    var script = Script()
    script.launched("phone")
    script.beginTask("phone")
    script.sendToBackground("phone")
    script.pass(to: 596)
    script.command("phone", .foreground)
    script.did("phone")
    script.did("phone")
    #expect(script.remaining("phone") == ["ok, unlimited"])
    #expect(script.pass(to: 5000) == [])
    script.sendToBackground("phone")
    #expect(script.pass(to: 5600).first == "5595 s: phone: task 1 expires")
  }

  @Test func `beside sound the time for tasks stands still`() throws {
    var script = Script()
    script.playing()
    script.beginTask("player")
    #expect(script.pass(to: 3600) == [])
    #expect(script.remaining("player") == ["ok, 600 s"])
    #expect(try script.view("player").leases.map(\.ends) == [nil, nil])
    #expect(script.beginTask("player", "another") == ["ok, task 2, 600 s"])
    script.quiet("player", 10)
    #expect(script.pass(to: 3611) == [])
    #expect(script.remaining("player") == ["ok, 599 s"])
    let end = ["4205 s: player: task 1 expires", "4205 s: player: task 2 expires"]
    #expect(script.pass(to: 5000) == end + ["4210 s: kill player, task-limit"])
  }
}
