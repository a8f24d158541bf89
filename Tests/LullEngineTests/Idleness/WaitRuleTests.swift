import LullEngine
import TestSupport
import Testing

/// Every thread must wait, nothing may be on its way, and something outside must be able to end a wait.
@Suite(.bounded) struct WaitRuleTests {
  @Test func `threads in each kind of wait may sleep`() {
    let waits: [ObservedWait] = [.sources, .ring, .thread, .child, .signal, .time, .unknown]
    for wait in waits {
      var script = Script.observed()
      #expect(
        script.observe(Observation([.waiting(.sources), .waiting(wait)], [.line(1)])) == "watch server")
    }
  }

  @Test func `one thread that works is enough to stay awake`() {
    var script = Script.observed()
    let works = ObservedThread(process: 7, thread: 8, wait: .works)
    #expect(script.observe(.idle.with { $0.threads.append(works) }) == "not-idle")
    #expect(script.detail == .thread(process: 7, thread: 8))
  }

  @Test func `a signal that no thread has taken yet`() {
    var script = Script.observed()
    #expect(script.observe(.idle.with { $0.signalled = 7 }) == "not-idle")
    #expect(script.detail == .signal(process: 7))
  }

  @Test(arguments: Unwatchable.allCases)
  func `what nobody can watch forbids the sleep, with a word`(what: Unwatchable) {
    var script = Script.observed()
    #expect(script.observe(.idle.with { $0.threads.append(.waiting(.unwatchable(what))) }) == "unwatchable")
    #expect(script.detail == .unwatchable(what))
  }

  @Test func `the supervisor's own answer is on its way`() {
    var script = Script.observed()
    #expect(script.observe(.idle.with { $0.isAsking = true }) == "asking")
  }

  @Test func `an error while looking is never idle`() {
    let obstacles: [(Observation.Obstacle, String, Double)] = [
      (.tooManyProcesses(513), "too-many-processes", 62), (.tooManyDescriptors(4097), "too-many-lines", 62),
      (.tooManyLines, "too-many-lines", 62), (.noRights("ptrace"), "no-rights", 62),
      (.noDescriptor("EMFILE"), "no-descriptor", 2.025),
    ]
    for (obstacle, reason, again) in obstacles {
      var script = Script.observed()
      #expect(script.observe(.idle.with { $0.obstacle = obstacle }) == reason)
      #expect(script.nextObservation() == again)
      #expect(script.observe(Observation([], []).with { $0.obstacle = obstacle }) == reason)
    }
  }

  @Test(arguments: [WakeSource.Reach.inside, .standard, .doorbell])
  func `what only the program, its starter or the supervisor makes ready wakes nobody`(
    reach: WakeSource.Reach
  ) {
    for role in [WakeSource.Role.waited, .open, .set, .member] {
      var script = Script.observed()
      #expect(
        script.observe(Observation([.waiting(.sources)], [.line(1, role: role, reach: reach)])) == "no-line")
    }
  }

  @Test func `a client that naps before it connects again has nothing outside`() {
    var script = Script.observed()
    let pair = [WakeSource.own(), .own()]
    #expect(script.observe(Observation([.waiting(.sources, for: 1.5)], pair)) == "no-line")
    #expect(script.nextObservation() == 2.025)
    #expect(script.observe(Observation([.waiting(.time, for: 1.5)])) == "no-line")
  }

  @Test func `a free child can end, and a session whose sound has ended needs nothing else`() {
    var script = Script.observed()
    #expect(script.observe(Observation([.waiting(.child)]).with { $0.hasFreeChild = true }) == "watch server")
    var player = Script.observed { $0.settings.modes = .audio }
    player.open("server")
    _ = player.nextObservation()
    #expect(player.observe(Observation([.waiting(.thread)])) == "watch server")
  }

  @Test func `what is run for its sound alone needs nothing outside, and its own timer wakes it`() {
    let napping = Observation([.waiting(.time, for: 700)])
    for modes in [[.voip, .audio], .externalAccessory] as [Modes] {
      var other = Script.observed { $0.settings.modes = modes }
      #expect(other.observe(napping) == "no-line")
    }
    var player = Script.observed { $0.settings.modes = .audio }
    player.sleeps(napping)
    #expect(player.pass(to: 701) == [])
    #expect(player.pass(to: 702) == ["702 s: thaw server", "702 s: server: woke, timer"])
  }

  @Test func `a connection that has ended wakes nobody any more`() {
    let gone = WakeSource.line(1, role: .open) {
      $0.isReady = true
      $0.transport = .tcp(.init(sinceSent: .seconds(99), sinceReceived: .seconds(99), isEstablished: false))
    }
    let napping = Observation([.waiting(.time, for: 2)], [gone])
    var script = Script.observed()
    #expect(script.observe(napping) == "unread")
    script.pass(to: 5)
    script.command("server", .suspend)
    #expect(script.observe(napping) == "no-line")
    _ = script.nextObservation()
    let other = napping.with { $0.sources.append(.line(2, role: .open)) }
    #expect(script.observe(other).hasPrefix("watch server"))
  }

  @Test func `each port that is to wake it must be there`() {
    var script = Script.observed()
    #expect(script.observe(.idle.with { $0.missingPort = 5060 }) == "no-port")
    #expect(script.detail == .port(5060))
  }

  @Test func `a program on the library must have nothing in its hands, no more`() {
    let odd = Observation([.waiting(.unwatchable(.fileLock), for: 0.1)], [.line(1) { $0.isReady = true }])
      .with { $0.missingPort = 5060 }
    for (observation, effects) in [
      (odd, ["watch phone"]), (odd.with { $0.threads.append(.waiting(.works)) }, ["thaw phone"]),
      (odd.with { $0.obstacle = .noDescriptor("EMFILE") }, ["thaw phone"]),
      (odd.with { $0.signalled = 7 }, ["thaw phone"]),
    ] {
      var script = Script()
      script.launched("phone")
      script.sendToBackground("phone")
      #expect(script.observed("phone", observation) == effects)
    }
  }

  @Test func `a command without a mode that was told to sleep need not prove anything`() {
    var script = Script()
    script.register("make", []) { $0.speaks = false }
    #expect(script.command("make", .background) == ["ok", "freeze make"])
    let busy = Observation([.waiting(.works)]).with { $0.obstacle = .noRights("ptrace") }
    #expect(script.observed("make", busy) == ["watch make"])
  }

  @Test func `the thaw need not wait for the engine, unless it decides about wakes`() {
    var script = Script.observed { $0.settings.batchWakes = .seconds(30) }
    #expect(script.observe(.idle) == "watch server, the engine decides")
    var phone = Script()
    phone.launched("phone")
    phone.hold("phone", offload: .line)
    phone.sendToBackground("phone")
    #expect(phone.observed("phone", .idle) == ["watch phone, the engine decides"])
    #expect(phone.feed(.ready(phone.id("phone"), LineID(1), .data)).first == "thaw phone")
  }

  @Test func `what comes between the look and the watch wakes it`() {
    var script = Script.observed()
    script.find("server")
    #expect(script.observe(.idle) == "watch server")
    #expect(script.ready("server", .data) == ["thaw server", "server: woke, data on line 1"])
    #expect(script.feed(.frozen(script.id("server"), script.freezeTicket("server"))) == [])
    #expect(script.state("server") == .background)
  }

  @Test func `a stale look is not heard, nor one after the watch`() {
    var script = Script.observed()
    let (id, old) = (script.id("server"), script.freezeTicket("server"))
    #expect(script.observe(.idle) == "watch server")
    #expect(script.observe(.idle) == "")
    script.pass(to: 4.5)
    #expect(script.feed(.observed(id, old, .idle)) == [])
    #expect(script.feed(.frozen(id, script.freezeTicket("server"))) == [])
    #expect(script.state("server") == .background)
  }
}
