import LullSystem
import LullWire
import TestSupport
import Testing

import enum LullSystem.ExitStatus

/// `lull quit` and its siblings with several names.
@Suite(.bounded) struct QuitTests {
  /// The lines of the output, which stand in the order in which the states were reached.
  private func lines(_ result: CommandResult) -> [String] {
    result.output.split(separator: "\n").map(String.init).sorted()
  }

  private func sleepers(_ names: String..., under lull: Lull) throws {
    for name in names { try lull.detach(name) }
  }

  @Test func `all of them are woken and stopped`() throws {
    let lull = try Lull()
    try sleepers("a", "b", under: lull)
    #expect(try lines(lull.run("suspend", "--all")) == ["a: suspended", "b: suspended"])
    #expect(try lines(lull.run("wake", "--all")) == ["a: background", "b: background"])
    let stop = try lull.run("stop", "--now", "--all")
    #expect(stop.status == .exited(0))
    #expect(lines(stop) == ["a was killed", "b was killed"])
    #expect(try lull.run("quit", "--all").output == "no program runs\n")
  }

  @Test(.tags(.faults)) func `a killed daemon's successor asks no second time, and keeps to the limit`()
    throws
  {
    let lull = try Lull()
    let trap = "trap 'n=$((n+1)); echo term $n' TERM"
    let script = "\(trap); echo ready; while :; do sleep 1000 & wait $!; done"
    let run = try lull.start(["run", "--name", "p", "--", "sh", "-c", script])
    #expect(try run.output.line() == "ready")
    let quit = try lull.start(["quit", "p"])
    #expect(try run.output.line() == "term 1")
    try lull.kill()
    #expect(try run.output.untilEnd() == "")
    #expect(try quit.output.untilEnd().hasPrefix("p was killed after "))
    #expect(try quit.end() == .exited(0))
    #expect(try lull.order("status name=p all").all(.ended).map { $0[.reason] } == ["quit"])
  }

  @Test(.tags(.faults)) func `the wait for a program that is to come back is told`() throws {
    let (lull, netcat) = (try Lull(), try Netcat())
    let phone = try lull.startPhone(netcat)
    #expect(try netcat.line.line() == "ping")
    try phone.signal(Signal.stop)
    try lull.killBoth()
    let quit = try lull.start(["quit", "phone"])
    #expect(try quit.errors.line { $0.contains("no answer yet") }.contains("where phone is a program on"))
    try phone.signal(Signal.continue)
    #expect(try quit.output.untilEnd().hasPrefix("phone ended"))
    #expect(try quit.end() == .exited(0))
    #expect(try lull.run("daemon", "stop").status == .exited(0))
  }

  @Test func `one that cannot sleep says why, in one line and a status`() throws {
    let lull = try Lull()
    let loop = ["sh", "-c", "while :; do :; done"]
    let run = try lull.start(["run", "--name", "p", "--mode", "voip", "--"] + loop)
    try lull.journal().waitForRefusal(of: "p", cause: "not-idle")
    let suspend = try lull.run("suspend", "p")
    #expect(suspend.status == .exited(1))
    #expect(suspend.errors.hasPrefix("lull: background, not suspended: could not sleep: it was busy"))
    #expect(suspend.errors.filter(\.isNewline).count == 1)
    #expect(try lull.run("quit", "p").output == "p ended (SIGTERM)\n")
    try run.end()
  }

  @Test func `to quit what has ended is no failure`() throws {
    let lull = try Lull()
    let journal = try lull.journal()
    #expect(try lull.run("run", "--name", "p", "--", "sh", "-c", "exit 3").status == .exited(3))
    try journal.wait("exited", of: "p")
    let quit = try lull.run("quit", "p")
    #expect(quit.output.hasPrefix("p does not run: it ") && quit.status == .exited(0), "\(quit)")
    #expect(try lull.run("purge", "p").status == .exited(1))
    #expect(try lull.run("quit", "nobody").status == .exited(1))
  }
}
