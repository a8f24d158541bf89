import LullSystem
import LullWire
import TestSupport
import Testing

/// The built `lull`, one run at a time: to listen on a socket sets the umask of the process for a moment.
@Suite(.serialized, .bounded) struct LullProcessTests {}

extension LullProcessTests {
  @Suite struct WithoutDaemon {
    static let noDaemon =
      "lull: no daemon is running (\"lull run -- COMMAND\" and \"lull daemon start\" start one)\n"

    @Test(arguments: [
      ["run", "--", "true"], ["open", "sip:a"], ["quit", "a"], ["stop", "--all"], ["purge", "a"], ["list"],
      ["why", "a"], ["log"], ["log", "--follow"], ["wakes", "a"], ["forget", "a"],
    ])
    func `a command that needs a daemon says why none can be started`(arguments: [String]) throws {
      let outcome = try LullProcess.run(arguments)
      #expect(outcome.status == .exited(1))
      #expect(outcome.errors.hasPrefix("lull: no daemon: /nonexistent/guard: "))
      #expect(outcome.errors.split(separator: "\n").count == 1)
    }

    @Test(arguments: [["quit", "a"], ["list"]])
    func `what only reads, or ends programs, has the daemon start nothing that is installed`(
      arguments: [String]
    ) throws {
      let folder = try TemporaryDirectory()
      let guardian = "\(folder.path)/guard"
      let text = #"printf '#!/bin/sh\necho "$*" >&2; exit 1\n' > "$0" && chmod 700 "$0""#
      #expect(try Child(SpawnRequest(["sh", "-c", text, guardian])).end() == .exited(0))
      let outcome = try LullProcess.run(arguments, environment: ["LULL_GUARD=\(guardian)"])
      #expect(outcome.errors == "lull: no daemon: --daemonize --started-by use --no-boot\n")
      let started = try LullProcess.run(["run", "--", "true"], environment: ["LULL_GUARD=\(guardian)"])
      #expect(started.errors == "lull: no daemon: --daemonize --started-by use\n")
    }

    @Test(arguments: [["daemon", "stop"], ["daemon", "stop", "--programs"]])
    func `to end the daemon is done where none runs, and no program is left`(arguments: [String]) throws {
      let outcome = try LullProcess.run(arguments)
      #expect(outcome.status == .exited(0))
      #expect(outcome.output == "no daemon runs\n")
    }

    @Test func `the names of programs are completed with nothing`() throws {
      let outcome = try LullProcess.run([
        "---completion", "wake", "--", "positional@0", "2", "0", "lull", "wake",
      ])
      #expect(outcome.status == .exited(0))
      #expect(outcome.output.filter { !$0.isNewline } == "")
      #expect(outcome.errors == "")
    }

    @Test(arguments: ["bash", "zsh", "fish"])
    func `a completion script asks for the names of programs`(shell: String) throws {
      let outcome = try LullProcess.run(["--generate-completion-script", shell])
      #expect(outcome.status == .exited(0))
      #expect(outcome.output.contains("---completion"))
    }

    @Test(arguments: LullProcess.commands)
    func `every command explains itself with an example`(command: String) throws {
      let outcome = try LullProcess.run([command, "--help"])
      #expect(outcome.status == .exited(0))
      #expect(outcome.output.contains("Example: lull "))
    }
  }
}

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

/// What `lull` writes, letter by letter. `LULL_GOLDEN=write` writes the files anew.
extension LullProcessTests {
  @Suite struct Golden {
    @Test(arguments: GoldenFile.all) func `lull writes what its golden file has`(file: GoldenFile) throws {
      let (old, new) = (try file.lines(), try file.run())
      if Identity.environment("LULL_GOLDEN") == "write" { return try file.write(new) }
      let number = zip(old, new).enumerated().first { $1.0 != $1.1 }?.offset ?? min(old.count, new.count)
      guard old != new else { return }
      let (before, now) = (old.dropFirst(number).first ?? "", new.dropFirst(number).first ?? "")
      Issue.record("\(file), line \(number + 1): \"\(now)\" in place of \"\(before)\"")
    }
  }
}
