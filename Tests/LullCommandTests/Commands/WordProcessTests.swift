import LullSystem
import LullWire
import Testing

/// The words that hands type from the habit of other tools, and mistyped ones.
extension LullProcessTests {
  @Suite struct Words {
    @Test(arguments: [
      (["statsu"], "no subcommand \"statsu\"; did you mean \"status\"?"),
      (["ps"], "no subcommand \"ps\"; did you mean \"status\"?"),
      (["ls", "-a"], "no subcommand \"ls\"; did you mean \"status\"?"),
      (["kill", "phone"], "no subcommand \"kill\"; did you mean \"signal\"?"),
      (["enable", "phone"], "no subcommand \"enable\"; did you mean \"install\"?"),
      (["help", "foo"], "no subcommand \"foo\"; \"lull --help\" lists them"),
      (["daemon", "stauts"], "no subcommand \"daemon stauts\"; did you mean \"daemon status\"?"),
      (["daemon", "x"], "no subcommand \"daemon x\"; \"lull daemon --help\" lists them"),
    ])
    func `a word that is no subcommand leads to one`(words: [String], message: String) throws {
      let outcome = try LullProcess.run(words)
      #expect(outcome.errors == "lull: \(message)\n")
      #expect(outcome.output == "" && outcome.status == .exited(64))
    }

    @Test func `help of a subcommand is shown`() throws {
      for words in [["help"], ["help", "help"], ["help", "status"], ["help", "daemon", "stop"]] {
        let outcome = try LullProcess.run(words)
        #expect(outcome.status == .exited(0) && outcome.output.contains("USAGE"), "\(words) \(outcome)")
      }
    }

    @Test(arguments: [["run", "--keepalive", "600", "--", "a"], ["run", "--keepalive=600", "--", "a"]])
    func `an option that is none leads to one`(words: [String]) throws {
      let outcome = try LullProcess.run(words)
      #expect(outcome.status == .exited(64))
      let first = outcome.errors.split(separator: "\n").first ?? ""
      #expect(first.hasPrefix("lull: Unknown option '--keepalive"), "\(first)")
      #expect(first.hasSuffix(". Did you mean '--keep-alive'?"), "\(first)")
    }

    @Test(arguments: [
      (["run", "--linger=", "--", "true"], "--linger", "run"),
      (["run", "--env", "", "true"], "--env", "run"),
      (["install", "p", "--mode=", "--", "true"], "--mode", "install"),
      (["log", "--since", "1 h ago", "--last="], "--last", "log"),
    ])
    func `an option without its value is told in one line`(
      words: [String], option: String, command: String
    ) throws {
      let outcome = try LullProcess.run(words)
      #expect(
        outcome.errors
          == "lull: \(option): its value is missing; \"lull \(command) --help\" tells what it can be\n")
      #expect(outcome.status == .exited(64))
    }

    @Test func `the words of a command that is run are its own, and a variable may be empty`() throws {
      for words in [["--env", "A=", "true", "--linger="], ["--name", "p", "--", "true", "--linger=", ""]] {
        let outcome = try LullProcess.run(["run"] + words) { _, client, _ in
          try client.say("error code=name-in-use message=heard")
        }
        #expect(outcome.errors == "lull: heard\n", "\(words)")
      }
    }

    @Test func `every complaint begins with the program`() throws {
      for words in [["why"], ["status", "--bogus"], ["status", "a", "b"], ["wake"]] {
        #expect(try LullProcess.run(words).errors.hasPrefix("lull: "), "\(words)")
      }
    }

    @Test(arguments: [["-1", "Answer"], ["Answer", "3"]])
    func `what is no number of a notification leads to those that there are`(words: [String]) throws {
      let outcome = try LullProcess.run(["answer"] + words)
      #expect(outcome.status == .exited(64))
      #expect(outcome.errors.contains("first comes the number of a notification; \"lull notifications\""))
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

    @Test func `a name that is too long is told how long it may be`() throws {
      let name = String(repeating: "a", count: 65)
      let outcome = try LullProcess.run(["run", "--name", name, "--", "true"])
      #expect(outcome.errors.contains("must be a name of 1 to 64 letters, digits, "))
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
