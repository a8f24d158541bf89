import LullSystem
import LullWire
import TestSupport
import Testing

/// Ends of programs while no daemon runs, as the next one tells them.
@Suite(.tags(.faults), .bounded) struct AloneEndTests {
  private let lull: Lull

  init() throws { lull = try Lull() }

  private func stop() throws { #expect(try lull.run("daemon", "stop").status == .exited(0)) }

  private func ended(_ name: String) throws -> Message? {
    try lull.order("status name=\(name) all").all(.ended).first
  }

  private func kill(_ pid: Int32, _ signal: Int32) throws {
    let keeper = try Process.pidfdOpen(lull.keeper(of: pid))
    try Process.kill(pid, signal)
    try Deadline().wait(keeper.raw, .readable, for: "the end of the keeper")
  }

  @Test func `a detached program that ended alone is told with its status, reason and time`() throws {
    let begun = Double(Clock.realtime()) / 1e9
    let script = "echo ready; trap 'kill $!; exit 7' TERM; while :; do sleep 1000 & wait $!; done"
    let first = try lull.runDetached("first", ["sh", "-c", script])
    let log = try lull.follow("first")
    #expect(try log.output.line() == "ready")
    let second = try lull.runDetached("second", ["sleep", "1000"])
    try lull.runDetached("third", ["sleep", "1000"])
    try stop()
    try kill(first, Signal.terminate)
    try kill(second, Signal.kill)
    #expect(try lull.run("quit", "third").output == "third ended (SIGTERM)\n")
    try lull.startAgain()
    let ends = try ["first", "second", "third"].map { try #require(try ended($0), "no end of \($0)") }
    #expect(ends.map { $0[.status] ?? $0[.signal] } == ["7", "9", "15"])
    #expect(ends.map { $0[.reason] } == ["crashed", "crashed", "quit"])
    let times = ends.compactMap { try? $0.number(.at) }
    #expect(times.count == 3 && times.allSatisfy { $0 >= begun && $0 <= Double(Clock.realtime()) / 1e9 })
    #expect(try lull.run("why", "second").output.contains("second: crashed (SIGKILL) at "))
    // The next one but one has them from the same file as all others, once.
    try lull.guardian.signal(Signal.terminate)
    try lull.startAgain()
    #expect(try lull.order("status all").all(.ended).map { $0[.name] } == ["third", "second", "first"])
  }

  @Test func `what a program left whose first process ended alone is ended by quit, and not started over`()
    throws
  {
    let left = try lull.runDetached("left", ["sh", "-c", "sleep 1000 & echo $!; wait"])
    let log = try lull.follow("left")
    let orphan = try Process.pidfdOpen(#require(Int32(log.output.line())))
    let first = try Process.pidfdOpen(left)
    try stop()
    try Process.kill(left, Signal.kill)
    try Deadline().wait(first.raw, .readable, for: "the end of the first process")
    try lull.startAgain()
    let start = try lull.run("start", "left")
    #expect(start.output.hasPrefix("left runs already; "), "\(start)")
    #expect(try lull.run("quit", "left").output == "left ended (SIGKILL)\n")
    try Deadline().wait(orphan.raw, .readable, for: "the end of the orphan")
    #expect(try lull.run("start", "left").status == .exited(0))
  }
}
