import LullSystem
import LullWire
import Testing

extension LullProcessTests {
  /// The subcommands that change the state of programs.
  @Suite struct Controls {
    private static let unknown = "error code=no-such-program message=\"no program \\\"b\\\"\""

    @Test func `a program that was started for its kept connections is not forgotten`() throws {
      let environment = ["XDG_STATE_HOME=/nonexistent", "LULL_CONFIG_DIR=/nonexistent"]
      var hasQuit = false
      let outcome = try LullProcess.run(["forget", "phone"], environment: environment) { request, client, _ in
        switch request {
        case .quit:
          hasQuit = true
          try client.say("ok state=notRunning", "event ended name=phone")
        case _ where hasQuit: for line in Samples.status { try client.say(line) }
        default: try client.say("error code=no-such-program message=none")
        }
      }
      #expect(outcome.errors == "lull: phone runs; \"lull quit phone\" ends it\n")
      #expect(
        outcome.requests
          == [.status(name: "phone"), .quit(name: "phone", now: false), .status(name: "phone")])
    }

    @Test func `a state that comes later is waited for`() throws {
      let outcome = try LullProcess.run(["foreground", "prog"]) { request, client, _ in
        switch request {
        case .foreground: try client.say("ok state=background")
        case .log: try client.say("ok count=0", "event entry at=1 program=prog what=state detail=active")
        default:
          let state = client.hasHeard ? "active" : "inactive"
          client.hasHeard = true
          try client.say(Samples.daemon, Samples.program(state: state), "ok count=2")
        }
      }
      #expect(outcome.status == .exited(0))
      #expect(outcome.output == "prog: active\n")
    }

    @Test func `of several the others are carried out, and the status is 2`() throws {
      let script: Script = { request, client, _ in
        if request == .wake(name: "b") { return try client.say(Self.unknown) }
        if request == .wake(name: "d") { return try client.say("error code=busy message=\"not now\"") }
        try client.say("ok state=background")
      }
      let outcome = try LullProcess.run(["wake", "a", "b", "c", "a", "d"], script: script)
      #expect(outcome.status == .exited(2))
      #expect(outcome.requests == ["a", "b", "c", "d"].map { .wake(name: $0) })
      #expect(outcome.output == "a: background\nc: background\n")
      #expect(outcome.errors == "lull: no program \"b\"\nlull: d: not now\n")
      #expect(try LullProcess.run(["wake", "b", "d"], script: script).status == .exited(1))
    }

    @Test func `all means the programs of the status, and what is gone meanwhile is passed over`() throws {
      let outcome = try LullProcess.run(["wake", "--all"]) { request, client, _ in
        switch request {
        case .status: for line in Samples.status { try client.say(line) }
        case .wake(name: "clock"): try client.say(Self.unknown)
        default: try client.say("ok state=background")
        }
      }
      #expect(outcome.status == .exited(0))
      #expect(outcome.output == "phone: background\n")
      #expect(outcome.errors == "")
      let none = try LullProcess.run(["quit", "--all"]) { _, client, _ in
        try client.say(Samples.daemon, "ok count=1")
      }
      #expect(none.status == .exited(0))
      #expect(none.output == "no program runs\n")
    }

    @Test func `what was killed at the end of its time is said to be`() throws {
      let outcome = try LullProcess.run(["quit", "a"]) { _, client, _ in
        try client.say("ok state=background remainingSeconds=0.1", "event ended name=a at=5 signal=9 killed")
      }
      #expect(outcome.output.hasPrefix("a was killed after "))
    }

    @Test func `the end of one that is gone without a word is asked for`() throws {
      let outcome = try LullProcess.run(["quit", "a"]) { request, client, _ in
        guard case .status(_, let all) = request else { return try client.say("ok remainingSeconds=-9.9") }
        let end = "item kind=ended name=a at=\(Clock.realtime() / 1_000_000_000 + 9) signal=11 reason=crashed"
        if all { try client.say(end, "ok count=1") } else { try client.say(Self.unknown) }
      }
      #expect(outcome.output == "a crashed (SIGSEGV)\n", "\(outcome)")
    }

    @Test func `a restarted daemon is asked again`() throws {
      let outcome = try LullProcess.run(["quit", "a", "b"]) { request, client, _ in
        // The next daemon remembers no end.
        if case .status = request { return try client.say("ok count=0") }
        if request == .quit(name: "b", now: false), !client.isFirst { return try client.say(Self.unknown) }
        try client.say("ok state=background remainingSeconds=5")
        if !client.isFirst { return try client.say("event ended name=a at=5 status=0") }
        if request == .quit(name: "b", now: false) { client.close() }
      }
      #expect(outcome.status == .exited(0))
      #expect(outcome.output == "b ended (status unknown)\na ended (status 0)\n")
    }

    @Test(arguments: ["quit", "purge"])
    func `a daemon that is replaced before it has answered is asked again`(verb: String) throws {
      let outcome = try LullProcess.run([verb, "a"]) { request, client, _ in
        if case .status = request { return try client.say("ok count=0") }
        guard !client.isFirst else { return client.close() }
        try client.say("ok state=background", "event ended name=a at=5 signal=9 killed")
      }
      #expect(outcome.status == .exited(0))
      #expect(outcome.errors == "")
      #expect(outcome.output == "a was \(verb == "quit" ? "killed" : "purged")\n")
    }

    @Test func `a daemon that dies while it is asked to end is looked at again`() throws {
      let outcome = try LullProcess.run(["daemon", "stop"]) { request, client, _ in
        if case .status = request { return try client.say(Samples.daemon, "ok count=1") }
        guard !client.isFirst else { return client.close() }
        // No process has this number.
        try client.say("ok pid=\(Int32.max) guard=\(Int32.max)")
      }
      #expect(outcome.output == "the daemon has ended\n")
      #expect(outcome.errors == "")
      let round = [Request.status(name: nil), .stopDaemon(programs: false)]
      #expect(outcome.requests == round + round)
    }

    @Test func `an end that the next daemon remembers is told, and not asked for again`() throws {
      let outcome = try LullProcess.run(["purge", "a"]) { request, client, _ in
        if case .status = request {
          return try client.say("item kind=ended name=a at=9000000000 signal=9 reason=purged", "ok count=1")
        }
        client.close()
      }
      #expect(outcome.status == .exited(0))
      #expect(outcome.output == "a purged (memory was short)\n")
    }
  }
}
