import LullSystem
import LullWire
import TestSupport
import Testing

/// Programs that sleep by SIGSTOP, where no cgroup can be written, and outlive their daemon.
@Suite(.tags(.faults), .bounded) struct SignalReturnTests {
  private let lull: Lull

  init() throws { lull = try Lull(cgroupRoot: "/proc/nonexistent") }

  private func end(_ way: ReturnTests.End) throws {
    switch way {
    case .stopped: #expect(try lull.run("daemon", "stop").status == .exited(0))
    case .killed: try lull.killBoth()
    }
  }

  private func state(_ pid: Int32) throws -> Character? { try Kernel.status(pid, "State").first }

  /// A wake may come right after the sleep that was told; it sleeps again.
  private func waitUntilStopped(_ processes: [Int32]) throws {
    try eventually("they do not stand still") { try processes.allSatisfy { try state($0) == "T" } }
  }

  @Test(arguments: ReturnTests.End.allCases)
  func `a detached command is taken over with all its processes`(way: ReturnTests.End) throws {
    let server = try Server()
    let script = """
      (sleep 1000 & echo $! >&2) 2>&1; exec 3<>/dev/tcp/127.0.0.1/$0
      while read -u 3 line; do echo "got $line" >&3; done
      """
    let pid = try lull.runDetached(
      "p", ["bash", "-c", script, "\(server.port)"], options: ["--mode", "voip"])
    let log = try lull.follow("p")
    let orphan = try #require(Int32(log.output.line()))
    let peer = try server.accept()
    try lull.journal().waitForSleep(of: "p")
    try waitUntilStopped([pid, orphan])
    try end(way)
    try peer.send("alone\n")
    #expect(try peer.line() == "got alone")
    try eventually("its orphan stands still") { try state(orphan) == "S" }
    try lull.startAgain()
    let next = try lull.journal()
    try next.wait("returned", of: "p")
    let pids = try lull.field(.pids, of: "p").split(separator: ",").compactMap { Int32($0) }
    #expect(Set(pids) == [pid, orphan])
    try next.waitForSleep(of: "p")
    try waitUntilStopped([pid, orphan])
    try peer.send("hello\n")
    #expect(try peer.line() == "got hello")
    try next.waitForSleep(of: "p")
    let pidfd = try Process.pidfdOpen(orphan)
    #expect(try lull.run("quit", "p").output == "p ended (SIGTERM)\n")
    #expect(try !Socket.poll(pidfd.raw, .readable, timeoutMilliseconds: 0).isEmpty)
  }
}
