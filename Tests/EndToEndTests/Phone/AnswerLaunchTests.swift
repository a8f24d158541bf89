import LullSystem
import LullWire
import TestSupport
import Testing

import enum LullSystem.ExitStatus

/// Answers to notifications whose programs have ended.
@Suite(.bounded) struct AnswerLaunchTests {
  /// Shows a notification in its first life, and ends in its second one when it hears of the answer.
  private static let program = """
    import os, socket
    s = socket.socket(socket.AF_UNIX)
    s.connect(os.environ["LULL_RUNTIME_DIR"] + "/control")
    f = s.makefile("rw")
    def say(text):
      f.write(text + "\\n")
      f.flush()
    say("register name=p modes=voip launch=background")
    for line in f:
      print(line.strip(), flush=True)
      if line.startswith("event deliver"):
        say("did ticket=" + line.split("ticket=")[1].split()[0])
        if "didEnterBackground" in line and "LULL_LAUNCH_REASON" not in os.environ:
          say("present body=b action=A")
      if line.startswith("event action"):
        break
    """

  @Test func `the answer starts a program that has ended, and is told to it`() throws {
    let lull = try Lull()
    let journal = try lull.journal()
    let pid = try lull.runDetached("p", ["python3", "-c", Self.program])
    try journal.wait("notification-shown", of: "p")
    try Process.kill(pid, Signal.kill)
    try journal.wait("exited", of: "p")
    #expect(try lull.run("answer", "1", "no").status == .exited(1))
    #expect(try lull.run("answer", "1", "A").output == "p: A\n")
    try journal.wait("exited", of: "p")
    let log = try lull.wholeLog("p")
    #expect(log.contains(/event action .*notification=1 action=A/), "\(log)")
    #expect(try lull.order("notifications").all(.notification).isEmpty)
  }

  @Test func `the answer does not start a detached program that was quit, and says so`() throws {
    let lull = try Lull()
    let journal = try lull.journal()
    _ = try lull.runDetached("p", ["python3", "-c", Self.program])
    try journal.wait("notification-shown", of: "p")
    #expect(try lull.run("quit", "--now", "p").status == .exited(0))
    #expect(try lull.run("answer", "1", "A").errors == "lull: p was quit: \"lull start p\" starts it\n")
  }

  @Test func `a program without a record cannot be started: its notification can be dismissed`() throws {
    let lull = try Lull()
    let puppet = try Puppet(lull, name: "puppet")
    try puppet.connect()
    try puppet.ask("register name=puppet modes=voip resume=background")
    try puppet.ask("present body=b action=A")
    try puppet.child.signal(Signal.kill)
    try lull.journal().wait("exited", of: "puppet")
    let result = try lull.run("answer", "1", "A")
    #expect(result.status == .exited(1))
    #expect(result.errors.contains("cannot be started again; \"lull answer 1 dismiss\""), "\(result.errors)")
    #expect(try lull.run("answer", "1", "dismiss").status == .exited(0))
  }
}
