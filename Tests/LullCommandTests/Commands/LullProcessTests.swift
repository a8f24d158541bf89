import LullSystem
import LullWire
import TestSupport
import Testing

/// The built `lull`, one run at a time: to listen on a socket sets the umask of the process for a moment.
@Suite(.serialized, .bounded) struct LullProcessTests {}

extension LullProcessTests {
  @Suite struct WithoutDaemon {
    static let noDaemon =
      "lull: no daemon is running (start a program with \"lull run -- COMMAND\", or start lulld)\n"

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
