import LullSystem
import LullWire
import Testing

/// The words that hands type from the habit of other tools, and mistyped ones.
extension LullProcessTests {
  @Suite struct Words {
    @Test func `help of a subcommand is shown`() throws {
      for words in [["help"], ["help", "help"], ["help", "status"], ["help", "daemon", "stop"]] {
        let outcome = try LullProcess.run(words)
        #expect(outcome.status == .exited(0) && outcome.output.contains("USAGE"), "\(words) \(outcome)")
      }
    }

    @Test func `the words of a command that is run are its own, and a variable may be empty`() throws {
      for words in [["--env", "A=", "true", "--linger="], ["--name", "p", "--", "true", "--linger=", ""]] {
        let outcome = try LullProcess.run(["run"] + words) { _, client, _ in
          try client.say("error code=name-in-use message=heard")
        }
        #expect(outcome.errors == "lull: heard\n", "\(words)")
      }
    }

    @Test func `signals are offered`() throws {
      let script = try LullProcess.run(["--generate-completion-script", "bash"]).output
      #expect(script.contains("HUP") && script.contains("WINCH"))
    }

    @Test func `the journal has the short options of tail`() throws {
      let outcome = try LullProcess.run(["log", "-n", "3", "-f"]) { _, client, _ in
        try client.say("ok count=0")
        client.close()
      }
      #expect(outcome.requests == [.log(follow: true, last: 3)])
      for words in [["logs", "-f", "-n", "x", "p"], ["notifications", "-x"]] {
        #expect(try LullProcess.run(words).status == .exited(64), "\(words)")
      }
      #expect(try LullProcess.run(["logs", "a b", "-n", "3", "-f"]).status == .exited(1))
    }

    @Test(arguments: [("answer", "Answer"), ("DISMISS", "dismiss"), ("Decline", "dismiss")])
    func `the case of an action does not matter`(typed: String, action: String) throws {
      let outcome = try LullProcess.run(["answer", "3", typed]) { request, client, _ in
        switch request {
        case .answer(_, let asked) where asked == action: try client.say("ok name=phone")
        case .answer: try client.say("error code=no-such-action message=\"no action\"")
        default:
          try client.say(
            "item kind=notification notification=3 program=phone body=x action=Answer state=pending",
            "ok count=1")
        }
      }
      #expect(outcome.output == "phone: \(action)\n", "\(outcome.errors)")
      #expect(outcome.status == .exited(0))
    }

    @Test(arguments: [("take", ";"), ("answre", "; did you mean \"Answer\"?")])
    func `an action that there is not leads to those that there are`(typed: String, meant: String) throws {
      let outcome = try LullProcess.run(["answer", "3", typed]) { request, client, _ in
        guard case .answer = request else {
          return try client.say(
            "item kind=notification notification=3 program=phone body=x action=Answer state=pending",
            "ok count=1")
        }
        try client.say("error code=no-such-action message=\"no action\"")
      }
      #expect(
        outcome.errors
          == "lull: no action \"\(typed)\"\(meant) notification 3 has \"Answer\", \"default\", "
          + "\"dismiss\", \"decline\"\n")
    }

    @Test func `a terminal that cannot be drawn on is told as one`() throws {
      let terminal = try PseudoTerminal.open(.usual)
      let outcome = try LullProcess.run(
        ["status", "--watch"], environment: ["TERM=dumb"], output: terminal.terminal.raw)
      withExtendedLifetime(terminal) {}
      #expect(outcome.errors.hasPrefix("lull: --watch: this terminal cannot be drawn on anew (TERM)"))
      #expect(outcome.status == .exited(64))
    }
  }
}
