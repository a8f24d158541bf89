import LullSystem
import TestSupport
import Testing

import enum LullSystem.ExitStatus

/// Those who join a program and take its output too slowly.
@Suite(.bounded) struct SlowReaderTests {
  @Test func `a reader that missed the last output is told so, and not that it has all`() throws {
    let lull = try Lull()
    let fifo = "\(lull.sandbox.directory)/fifo"
    try #require(try ConnectedChild(["mkfifo", fifo]).end() == .exited(0))
    // More than a socket holds, and less than the keeper keeps for a reader.
    let pid = try lull.runDetached("p", ["sh", "-c", "read line <\(fifo); head -c 350000 /dev/zero; exit 4"])
    let keeper = try lull.keeper(of: pid)
    let end = try Process.pidfdOpen(keeper)
    let attached = try lull.start(["attach", "p"])
    try lull.waitForClients(1, of: keeper)
    try Process.kill(attached.pid, Signal.stop)
    defer { try? Process.kill(attached.pid, Signal.continue) }
    try #require(try ConnectedChild(["sh", "-c", "echo go >\(fifo)"]).end() == .exited(0))
    try Deadline().wait(end.raw, .readable, for: "the end of the keeper")
    try Process.kill(attached.pid, Signal.continue)
    #expect(try attached.output.untilEnd().utf8.count < 350_000)
    let told = "lull: p has ended (status 4), but its last output was not taken in time\n"
    #expect(try attached.errors.untilEnd() == told)
    #expect(try attached.end() == .exited(1))
  }
}
