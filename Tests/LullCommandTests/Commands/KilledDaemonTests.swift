import LullSystem
import LullWire
import Testing

extension LullProcessTests {
  /// Subcommands that find a daemon which was just killed, or whose daemon dies before it has answered.
  @Suite struct KilledDaemons {
    static let single = [
      ["suspend", "a"], ["wake", "a"], ["signal", "a", "TERM"], ["answer", "1", "default"], ["status"],
      ["notifications"], ["lines"], ["quiet"], ["lock"],
    ]
    static let following = [["notifications", "--follow"], ["status", "--watch", "--json"]]

    @Test(arguments: single + following)
    func `the socket of a daemon that was just killed is that of none`(arguments: [String]) throws {
      let outcome = try LullProcess.run(arguments, isKilled: true)
      #expect(outcome.errors == LullProcessTests.WithoutDaemon.noDaemon)
      #expect(outcome.status == .exited(1))
    }

    @Test(arguments: single + [["log"], ["log", "--follow"]] + following)
    func `the daemon in place of one that was just killed is asked, once`(arguments: [String]) throws {
      let refusal = "error code=no-such-program message=\"no program a\""
      let outcome = try LullProcess.run(arguments, isKilled: true) { _, client, _ in try client.say(refusal) }
      #expect(outcome.errors == "lull: no program a\n")
      #expect(outcome.requests.count == 1)
    }

    @Test(arguments: [
      ("wake", "background"), ("suspend", "suspended"), ("foreground", "active"), ("background", "suspended"),
    ])
    func `a state is asked for again where the daemon dies before it answers`(
      verb: String, state: String
    ) throws {
      let outcome = try LullProcess.run([verb, "a"]) { _, client, _ in
        guard !client.isFirst else { return client.close() }
        try client.say("ok state=\(state)")
      }
      #expect(outcome.output == "a: \(state)\n" && outcome.errors == "", "\(outcome)")
      #expect(outcome.requests.count == 2)
    }

    @Test func `a state that is waited for is asked for again where the daemon dies meanwhile`() throws {
      let outcome = try LullProcess.run(["suspend", "prog"]) { request, client, _ in
        switch request {
        case .suspend: try client.say("ok state=\(client.isFirst ? "background" : "suspended")")
        case .log: try client.say("ok count=0")
        default:
          try client.say(Samples.daemon, Samples.program(state: "background"), "ok count=2")
          client.close()
        }
      }
      #expect(outcome.output == "prog: suspended\n" && outcome.errors == "", "\(outcome)")
    }
  }
}
