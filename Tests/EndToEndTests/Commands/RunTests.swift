import LullSystem
import LullWire
import TestSupport
import Testing

import enum LullSystem.ExitStatus

/// `lull run`.
@Suite(.bounded) struct RunTests {
  private let lull: Lull
  private let journal: Journal

  init() throws {
    lull = try Lull()
    journal = try lull.journal()
  }

  @Test func `it passes standard input, output and errors`() throws {
    let run = try lull.start(["run", "--", "sh", "-c", "read line; echo \"out $line\"; echo err >&2"])
    try run.output.send("hello\n")
    #expect(try run.output.untilEnd() == "out hello\n")
    #expect(try run.errors.untilEnd() == "err\n")
    #expect(try run.end() == .exited(0))
  }

  @Test(arguments: [
    ("exit 0", ExitStatus.exited(0)), ("exit 7", .exited(7)), ("kill -TERM $$", .signaled(15)),
    ("kill -KILL $$", .signaled(9)), ("kill -QUIT $$", .signaled(3)),
  ])
  func `it ends as the program ended`(script: String, status: ExitStatus) throws {
    #expect(try lull.run("run", "--", "sh", "-c", script).status == status)
  }

  @Test(arguments: [("no-such-command", "status 127"), ("/etc/passwd", "status 126")])
  func `what could not be started has not crashed, and has the status of a shell`(
    command: String, status: String
  ) throws {
    _ = try lull.run("run", "--name", "p", "--", command)
    try journal.wait("exited", of: "p", cause: "not-started", detail: status)
    #expect(try lull.run("why", "p").output.hasPrefix("p: could not be started (\(status)) at "))
  }

  @Test(arguments: [("INT", Signal.interrupt), ("TERM", Signal.terminate), ("WINCH", Signal.windowChange)])
  func `signals reach the program, asleep too`(name: String, number: Int32) throws {
    let run = try lull.start(["run", "--name", "p"] + Self.trap(name))
    #expect(try run.output.line() == "ready")
    try lull.order("suspend name=p")
    try journal.waitForSleep(of: "p")
    try run.signal(number)
    #expect(try run.output.line() == "got \(name)")
    #expect(try run.end() == .exited(5))
  }

  /// A shell that names the signal that it got; it waits for standard input, which never comes.
  private static func trap(_ name: String) -> [String] {
    ["--", "sh", "-c", "trap 'echo got \(name); exit 5' \(name); echo ready; read line; read line"]
  }

  @Test func `the verbs move it through its states`() throws {
    let run = try lull.start(["run", "--name", "p", "--", "cat"])
    try run.output.send("one\n")
    #expect(try run.output.line() == "one")
    #expect(try lull.state(of: "p") == "active")
    #expect(try lull.run("suspend", "p").status == .exited(0))
    try journal.waitForSleep(of: "p")
    #expect(try lull.cgroup(of: "p").state().frozen)
    try run.output.send("two\n")
    #expect(try lull.run("wake", "p").output == "p: background\n")
    #expect(try run.output.line() == "two")
    #expect(try lull.run("foreground", "p").output == "p: active\n")
    #expect(try lull.run("background", "p").output.hasPrefix("p: "))
    try journal.waitForSleep(of: "p")
    #expect(try lull.run("quit", "p").output == "p ended (SIGTERM)\n")
    #expect(try run.end() == .signaled(15))
  }

  @Test func `its status survives a SIGKILL of the daemon`() throws {
    let run = try lull.start(["run", "--name", "p", "--", "sh", "-c", "echo ready; read line; exit 7"])
    #expect(try run.output.line() == "ready")
    try lull.kill()
    #expect(try lull.state(of: "p") == "active")
    try run.output.send("go\n")
    #expect(try run.end() == .exited(7))
    #expect(try run.errors.untilEnd() == "")
  }

  @Test func `a double fork stays in the program, which ends with its last process`() throws {
    let script = "(setsid sh -c 'read line <&3; exit 0' </dev/null >/dev/null 2>&1 &) ; exit 3"
    let run = try lull.start(["run", "--name", "p", "--", "sh", "-c", "exec 3<&0; \(script)"])
    #expect(try run.end() == .exited(3))
    #expect(try lull.field(.pids, of: "p").isEmpty == false)
    try run.output.send("end\n")
    try journal.wait("exited", of: "p", detail: "status 3")
    #expect(try lull.order("status").all(.program).isEmpty)
  }

  @Test func `a name that is taken is refused, and a name from the command is made free`() throws {
    let first = try lull.start(["run", "--", "cat"])
    try first.output.send("up\n")
    _ = try first.output.line()
    let refused = try lull.run("run", "--name", "cat", "--", "cat")
    #expect(refused.status == .exited(1))
    #expect(refused.errors.split(separator: "\n").count == 1)
    #expect(refused.errors.contains("cat"))
    let second = try lull.start(["run", "--detach", "--", "cat"])
    #expect(try second.output.line().hasPrefix("cat-2 (pid "))
  }
}
