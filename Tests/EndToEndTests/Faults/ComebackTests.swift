import LullInspect
import LullSystem
import LullWire
import TestSupport
import Testing

/// Programs on the library that the next daemon hears, or that find it, seconds after its beginning.
@Suite(.tags(.faults), .bounded) struct ComebackTests {
  private let lull: Lull
  private let netcat: Netcat

  init() throws {
    lull = try Lull()
    netcat = try Netcat()
  }

  /// A phone, by itself or as a command.
  private func startPhone(asCommand: Bool) throws -> (pid: Int32, child: ConnectedChild?) {
    guard asCommand else {
      let phone = try lull.startPhone(netcat)
      return (phone.pid, phone)
    }
    let words = [try Built.program("lull-phone"), "127.0.0.1:\(netcat.port)"]
    return (try lull.runDetached("phone", words, options: ["--mode", "voip"]), nil)
  }

  private func expectWhole() throws {
    let items = try lull.order("status name=phone")
    #expect(items.all(.program).map { $0[.state] } == ["suspended"])
    #expect(items.all(.keepalive).map { $0[.timeoutSeconds] } == ["600"])
    #expect(try lull.order("lines name=phone").all(.line).count == 1)
    #expect(try lull.field(.modes, of: "phone").contains("voip"))
    #expect(try netcat.line.line() == "ping")
    try netcat.line.send("ping\n")
    #expect(try netcat.line.line() == "pong")
  }

  private func sockets(of pid: Int32) throws -> Set<OpenFile.Kind> {
    let kinds = try Process.openFiles(of: pid, limit: 100).map(\.kind)
    return Set(kinds.filter { if case .socket = $0 { true } else { false } })
  }

  /// Waits until a process has connected anew; returns that socket.
  private func newSocket(of pid: Int32, beside old: Set<OpenFile.Kind>) throws -> Set<OpenFile.Kind> {
    var found: Set<OpenFile.Kind> = []
    try eventually("process \(pid) does not connect") {
      found = try sockets(of: pid).subtracting(old)
      return !found.isEmpty
    }
    return found
  }

  /// The phone waits 5 s for its answer, gives up and asks anew, while the first connection waits as well.
  @Test func `one that asked twice while lulld was away keeps its line and its keep-alive`() throws {
    let journal = try lull.journal()
    let (pid, child) = try startPhone(asCommand: false)
    try journal.waitForSleep(of: "phone")
    // Asleep it would not notice that lulld is gone.
    try lull.order("foreground name=phone")
    let old = try sockets(of: pid)
    try lull.guardian.signal(Signal.stop)
    try lull.kill()
    let first = try newSocket(of: pid, beside: old)
    _ = try newSocket(of: pid, beside: old.union(first))
    try lull.guardian.signal(Signal.continue)
    let next = try lull.journal()
    try next.wait("keepalive-set", of: "phone")
    // By then the end of the first connection would have undone what the second one said.
    #expect(try lull.start(["run", "--name", "second", "--", "sleep", "1"]).end() == .exited(0))
    try lull.order("background name=phone")
    try next.waitForSleep(of: "phone")
    try expectWhole()
    withExtendedLifetime(child) {}
  }

  /// The phone looks for a daemon every 5 s by then.
  @Test func `one that runs in a command does not sleep before it has found the next daemon`() throws {
    let journal = try lull.journal()
    let (pid, _) = try startPhone(asCommand: true)
    try journal.waitForSleep(of: "phone")
    #expect(try lull.run("daemon", "stop").status == .exited(0))
    let timer = try #require(
      try Process.openFiles(of: pid, limit: 100).first { if case .timer = $0.kind { true } else { false } })
    // Later than a second after the return, when a plain command may sleep.
    try eventually("the phone looks for the daemon again and again") {
      try Process.timer(of: pid, number: timer.number).dueIn ?? 0 > 3_500_000_000
    }
    try lull.startAgain()
    let next = try lull.journal()
    try next.wait("returned", of: "phone")
    try next.waitForSleep(of: "phone")
    try expectWhole()
  }
}
