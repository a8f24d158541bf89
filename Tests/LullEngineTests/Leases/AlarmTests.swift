import LullEngine
import TestSupport
import Testing

/// The causes that resume a suspended machine, and those that wait until it is awake.
@Suite(.bounded) struct AlarmTests {
  private func next(_ script: Script) -> String? {
    script.engine.resume.map { "\($0.moment.text) s: \($0.program), \($0.reason)" }
  }

  /// A command that sleeps since 2 s with a line and a timer that is due in 20 s.
  private func sleeper(_ configure: (inout Registration) -> Void = { _ in }) -> Script {
    var script = Script.observed(configure)
    script.find("server", .opened)
    script.sleeps(Observation([.waiting(.sources, for: 20)], [.line(1)]))
    return script
  }

  @Test func `a program that cannot sleep is tried again when the machine is awake`() {
    var script = Script.observed()
    script.find("server", .opened)
    for _ in 0..<20 {
      _ = script.nextObservation()
      script.refuse("server")
      #expect(script.engine.deadline != nil)
      #expect(script.engine.alarm == nil && script.engine.resume == nil)
    }
  }

  @Test func `a keep-alive, whether its program sleeps or not`() {
    var script = Script()
    script.asleep("phone")
    #expect(script.engine.alarm == nil)
    script.keepAlive("phone", 900)
    #expect(next(script) == "900 s: phone, keepalive")
    script.ready("phone")
    #expect(next(script) == "900 s: phone, keepalive")
  }

  @Test func `the own timers of a sleeper with connections, and of no other program`() {
    #expect(next(sleeper()) == "600 s: server, timer")
    #expect(next(sleeper { $0.settings.timers = .floor(.seconds(30)) }) == "30 s: server, timer")
    #expect(next(sleeper { $0.settings.timers = .never }) == nil)
    #expect(next(sleeper { $0.settings.modes = .audio }) == nil)
    var woken = sleeper()
    woken.ready("server")
    #expect(woken.engine.alarm == nil)
  }

  @Test func `a wake that was asked for, a notification, and paths that are kept open`() {
    var script = Script()
    script.asleep("phone")
    script.ask(.wakeIn(script.id("phone"), .seconds(60)))
    #expect(next(script) == "60 s: phone, timer")
    script.ask(
      .schedule(script.id("phone"), LocalNotification(body: "tea"), .after(.seconds(30)), repeats: nil))
    #expect(next(script) == "30 s: phone, notification")
    #expect(next(sleeper { $0.settings.udpKeepAlive = .seconds(25) }) == "27 s: server, paths")
  }

  @Test func `data whose wake is put off`() {
    var script = Script()
    script.asleep("phone") { $0.settings.batchWakes = .seconds(30) }
    for second in 1...16 {
      script.pass(to: Double(second))
      script.ready("phone")
      script.done("phone")
      script.frozen("phone")
    }
    script.pass(to: 17)
    script.ready("phone")
    #expect(next(script) == "46 s: phone, data")
  }

  @Test func `an installed program that is started for its keep-alive, but not after a crash`() {
    var script = Script()
    script.ask(.admit("phone", .ended))
    script.launchedBehind("phone")
    script.keepAlive("phone", 600)
    script.exited("phone", .signaled(11))
    #expect(script.engine.deadline == Moment(1))
    #expect(next(script) == "600 s: phone, keepalive")
    script.pass(to: 1)
    script.ask(.forceQuit("phone"))
    #expect(script.engine.alarm == nil)
  }

  /// A phone with a keep-alive, and a store that is woken now and then: also at such times that an hour since
  /// the last compaction is over in the middle of a sleep, and with locks that somebody waits for.
  @Test func `from the tenth second of a sleep to the wake nothing but the alarm is due, for two hours`() {
    var policy = Script.prompt
    policy.processes = ProcessPolicy()
    var script = Script(policy: policy)
    script.asleep("phone")
    script.keepAlive("phone", 600)
    script.done("phone")
    script.frozen("phone")
    script.asleep("store")
    var (compactions, looks) = (0, 0)
    var lastSleep = script.now
    for wake in [60.0, 62, 65, 70, 700, 1000, 1011, 3605, 3640, 3700, 4500, 7200] {
      while let deadline = script.engine.deadline, deadline <= Moment(wake) {
        #expect(deadline == script.engine.alarm || deadline <= lastSleep + .seconds(10), "\(deadline.text) s")
        let lines = script.pass(to: (deadline - Moment(0)).seconds)
        compactions += lines.count { $0.contains("compact") }
        looks += lines.count { $0.contains("locks") }
        if follow(&script, lines) { lastSleep = script.now }
        guard wake < 100, lines.contains(where: { $0.hasSuffix("check store's locks") }) else { continue }
        if follow(&script, script.feed(.lockAwaited(script.id("store")))) { lastSleep = script.now }
      }
      script.pass(to: wake)
      if follow(&script, script.ready("store", line: 2)) { lastSleep = script.now }
    }
    #expect(compactions == 4 && looks > 20)
  }

  /// Does what the shell and the programs do; true when a program fell asleep.
  private func follow(_ script: inout Script, _ lines: [String]) -> Bool {
    var hasSlept = false
    for name in ["phone", "store"] {
      func has(_ words: String) -> Bool { lines.contains { $0.contains(words) } }
      if has("compact \(name)") {
        let ticket = script.compactionTicket(name)
        script.feed(.compacted(script.id(name), ticket, .done(before: 100, after: 7)))
      }
      if has("\(name): woke") || has("\(name): keep-alive") {
        script.done(name)
        script.frozen(name)
        hasSlept = true
      }
    }
    return hasSlept
  }
}

/// The machine stays up while a wake, a keep-alive or a call is handled.
@Suite(.bounded) struct MachineHoldTests {
  @Test func `a wake holds the machine until done`() {
    var script = Script()
    script.asleep("phone")
    #expect(!script.engine.holdsMachine)
    script.ready("phone")
    #expect(script.engine.holdsMachine)
    script.done("phone")
    #expect(!script.engine.holdsMachine)
  }

  @Test func `a keep-alive holds the machine until it has run`() {
    var script = Script()
    script.launched("phone")
    script.keepAlive("phone", 600)
    script.sendToBackground("phone")
    script.frozen("phone")
    #expect(!script.engine.holdsMachine)
    script.pass(to: 600)
    #expect(script.engine.holdsMachine)
    script.done("phone")
    #expect(!script.engine.holdsMachine)
  }

  @Test func `a task of the wake holds the machine beyond done, in the background alone`() {
    var script = Script()
    script.asleep("phone")
    script.ready("phone")
    script.beginTask("phone")
    script.done("phone")
    #expect(script.engine.holdsMachine)
    script.endTask("phone", 1)
    #expect(!script.engine.holdsMachine)
    script.command("phone", .foreground)
    script.did("phone")
    script.did("phone")
    script.beginTask("phone")
    #expect(!script.engine.holdsMachine)
  }

  @Test func `a program that ends in the middle lets the machine go`() {
    var script = Script()
    script.asleep("phone")
    script.ready("phone")
    script.feed(.exited(script.id("phone"), .signaled(9)))
    #expect(!script.engine.holdsMachine)
  }
}
