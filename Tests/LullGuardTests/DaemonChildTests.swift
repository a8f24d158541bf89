import LullChannel
import LullEngine
import LullSystem
import LullWire
import TestSupport
import Testing

@testable import LullGuard

/// lull-guard's knowledge of its lulld, which is a shell in these tests.
@Suite(.bounded) struct DaemonChildTests {
  private func start(_ script: String) throws -> (DaemonChild, Reactor<Guard.Source>) {
    let reactor = try Reactor<Guard.Source>()
    let child = DaemonChild(reactor, SupervisionPolicy())
    _ = try child.start(SpawnRequest(["sh", "-c", script]))
    #expect(child.isRunning && child.isLinked)
    return (child, reactor)
  }

  /// Waits until something has come of the source.
  private func wait(for source: Guard.Source, in reactor: Reactor<Guard.Source>) throws {
    repeat {
      try reactor.wait(timeoutMilliseconds: patience)
      try #require(!reactor.events.isEmpty, "nothing came")
    } while !reactor.events.contains { reactor[$0]?.source == source }
  }

  private func end(_ script: String) throws -> DaemonChild {
    let (child, reactor) = try start(script)
    try wait(for: .child, in: reactor)
    // Children of other tests are not to be reaped by this test.
    let process = try #require(child.process)
    let status = try #require(try Process.waitStatus(process.pidfd.raw))
    child.reaped(process.pid, status)
    let life = child.end()
    #expect(life >= 0)
    #expect(!child.isRunning && !child.isLinked)
    return child
  }

  @Test func `how it ended is told in words`() throws {
    #expect(try end("exit 3").ending == "ended with status 3")
    #expect(try end("kill -KILL $$").ending == "was ended by SIGKILL")
    #expect(try end("kill -ALRM $$").ending == "hung for 4 s and was ended")
  }

  @Test func `only one that a fault of its own or its alarm ended has crashed`() throws {
    for script in ["exit 1", "kill -KILL $$", "kill -TERM $$"] { #expect(try !end(script).hasCrashed) }
    for signal in ["SEGV", "ABRT", "ILL", "TRAP", "ALRM"] {
      #expect(try end("kill -\(signal) $$").hasCrashed)
    }
  }

  @Test func `what it says on the link is read, and its end is`() throws {
    let (child, reactor) = try start("echo stopping >&\(DaemonOptions.linkNumber)")
    var verbs: [String] = []
    while child.isLinked {
      try wait(for: .link, in: reactor)
      _ = child.receive()
      while let (message, _) = child.next() { verbs.append(message.verb) }
    }
    #expect(verbs == ["stopping"])
    try expectExit(child)
  }

  @Test func `a text line without an end ends the link`() throws {
    let link = DaemonOptions.linkNumber
    let (child, reactor) = try start("head -c 70000 /dev/zero | tr '\\0' x >&\(link); exec sleep 1000")
    while child.isLinked {
      try wait(for: .link, in: reactor)
      _ = child.receive()
      #expect(child.next() == nil)
    }
    #expect(!child.receive() && !child.isEnding)
    child.send(Signal.kill)
    let process = try #require(child.process)
    try ready(process.pidfd.raw, .readable, "it did not end")
    #expect(child.isEnding)
    try expectExit(child, .signaled(Signal.kill))
  }

  private func expectExit(_ child: DaemonChild, _ status: ExitStatus = .exited(0)) throws {
    let process = try #require(child.process)
    try ready(process.pidfd.raw, .readable, "it did not end")
    #expect(try Process.waitStatus(process.pidfd.raw) == status)
  }

  @Test func `each timer expires once, in order`() {
    let timers = Timers()
    timers.schedule(.yield, after: 1_000_000_000_000)
    timers.schedule(.kill, after: 0)
    timers.schedule(.start, after: 0)
    timers.schedule(.kill, after: 0)
    #expect(timers.isScheduled(.kill) && timers.next != nil)
    let done = [timers.takeDue(), timers.takeDue(), timers.takeDue()]
    #expect(done == [.start, .kill, nil])
    #expect(timers.isScheduled(.yield))
    timers.clear()
    #expect(timers.next == nil)
  }
}
