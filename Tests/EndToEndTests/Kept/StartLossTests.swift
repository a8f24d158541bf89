import Glibc
import LullSystem
import LullWire
import TestSupport
import Testing

/// A phone on the library that is being started with kept connections when its daemon ends.
@Suite(.tags(.faults), .bounded) struct StartLossTests {
  enum End: CaseIterable {
    case stopped, killed
  }

  private let lull: Lull
  private let netcat: Netcat
  private let gate: String

  init() throws {
    lull = try Lull()
    netcat = try Netcat()
    gate = "\(lull.sandbox.directory)/go"
    try Kernel.check(unsafe mkfifo(gate, 0o600))
  }

  /// A phone that sleeps, and whose next start waits at a gate before it is the phone.
  private func start() throws {
    let script = """
      if [ "$LISTEN_FDS" ]; then echo waiting; read line <"$1"; fi
      exec "$0" 127.0.0.1 "$2"
      """
    let words = ["sh", "-c", script, try Built.program("lull-phone"), gate, "\(netcat.port)"]
    try lull.runDetached("phone", words)
    #expect(try netcat.line.line() == "ping")
    try lull.journal().waitForSleep(of: "phone")
    let restart = try lull.run("restart", "--keep-lines", "phone")
    #expect(restart.status == .exited(0), "\(restart.errors)")
    let log = try lull.follow("phone")
    _ = try log.output.line { $0 == "waiting" }
  }

  /// The same with a daemon that is stopped; returned with its connections.
  private func startWhileDaemonStands() throws -> (DescriptorBox, connections: Int) {
    try start()
    let daemon = DescriptorBox(try Process.pidfdOpen(lull.pid))
    // The guard would let it go on.
    try lull.guardian.signal(Signal.stop)
    try Process.sendSignal(daemon.raw, Signal.stop)
    return (daemon, try connections())
  }

  private func openGate() throws { try Kernel.write("\n", to: gate) }

  /// The connections to the daemon, those among them that it has not accepted, and its own socket.
  private func connections() throws -> Int {
    try Kernel.text("/proc/net/unix").split(separator: "\n").count { $0.hasSuffix(" \(lull.socket)") }
  }

  private func waitForConnection(after count: Int) throws {
    try eventually("nobody connects") { try connections() > count }
  }

  /// The phone has lost nothing, alone and with the next daemon.
  private func goesOn() throws {
    try netcat.line.send("ping\n")
    #expect(try netcat.line.line() == "pong")
    try lull.startAgain()
    let next = try lull.journal()
    try next.wait("returned", of: "phone")
    try next.waitForSleep(of: "phone")
    try netcat.line.send("ping\n")
    #expect(try netcat.line.line() == "pong")
    try next.waitForSleep(of: "phone")
  }

  @Test(arguments: End.allCases)
  func `a daemon that ends before it answers the registration`(way: End) throws {
    let (daemon, before) = try startWhileDaemonStands()
    let stop = try way == .stopped ? lull.start(["daemon", "stop"]) : nil
    if stop != nil { try waitForConnection(after: before) }
    try openGate()
    try waitForConnection(after: before + (stop == nil ? 0 : 1))
    if let stop {
      try Process.sendSignal(daemon.raw, Signal.continue)
      try lull.guardian.signal(Signal.continue)
      #expect(try stop.end() == .exited(0))
    } else {
      try Process.sendSignal(daemon.raw, Signal.kill)
      try lull.guardian.signal(Signal.kill)
      try lull.guardian.end()
      try Deadline().wait(daemon.raw, .readable, for: "the end of lulld")
    }
    try goesOn()
  }

  @Test func `a daemon that is killed while its guard lives`() throws {
    let (daemon, before) = try startWhileDaemonStands()
    try openGate()
    try waitForConnection(after: before)
    try Process.sendSignal(daemon.raw, Signal.kill)
    try lull.guardian.signal(Signal.continue)
    try netcat.line.send("ping\n")
    #expect(try netcat.line.line() == "pong")
    try lull.journal().waitForSleep(of: "phone")
    try netcat.line.send("ping\n")
    #expect(try netcat.line.line() == "pong")
  }
}

/// A phone on the library that is being ended when lulld is killed.
@Suite(.tags(.faults), .bounded) struct EndLossTests {
  private let lull: Lull
  private let netcat: Netcat
  private let pid: Int32

  init() throws {
    lull = try Lull()
    netcat = try Netcat()
    try lull.installPhone(netcat)
    #expect(try netcat.line.line() == "ping")
    pid = try #require(Int32(lull.field(.pids, of: "phone")))
    try eventually("the phone is not active") { try lull.state(of: "phone") == "active" }
    // What it was told before it has answered when it has answered twice.
    for _ in 1...2 {
      try netcat.line.send("ping\n")
      #expect(try netcat.line.line() == "pong")
    }
  }

  /// Asks for the end of the phone, which takes the message only after the end of lulld.
  private func end(by request: String) throws {
    try Process.kill(pid, Signal.stop)
    try lull.order(request)
    let pidfd = try Process.pidfdOpen(pid)
    try lull.guardian.signal(Signal.stop)
    try lull.kill()
    try Process.kill(pid, Signal.continue)
    try Deadline().wait(pidfd.raw, .readable, for: "the end of the phone")
    try lull.guardian.signal(Signal.continue)
  }

  private func kept() throws -> Int {
    try lull.order("lines name=phone").all(.line).count { $0[.kept] != nil }
  }

  @Test func `a restart keeps its connections over the death of lulld`() throws {
    try end(by: "quit name=phone keepLines")
    try eventually("no line is kept") { try kept() == 1 }
    // Data starts nothing that a person is about to start.
    try netcat.line.send("ping\n")
    let start = try lull.run("start", "phone")
    #expect(start.status == .exited(0), "\(start.errors)")
    #expect(try netcat.line.line() == "pong")
    let launches = try lull.journal().entriesUpToNow().filter { $0["what"] == "launched" }
    #expect(launches.allSatisfy { $0["cause"] != "data" }, "\(launches)")
  }

  @Test func `a purge is one under the next lulld, and no crash`() throws {
    try end(by: "purge name=phone")
    try eventually("no line is kept") { try kept() == 1 }
    let state = try #require(try lull.order("installed name=phone").all(.installed).first)
    #expect(state[.state] == "ended" && state[.restarts] == "0", "\(state)")
    let last = try #require(try lull.order("status name=phone all").all(.ended).first)
    #expect(last[.reason] == "purged-by-operator", "\(last)")
    try netcat.line.send("ping\n")
    #expect(try netcat.line.line() == "pong")
  }

  @Test func `lull restart goes on over the death of lulld`() throws {
    let journal = try lull.journal()
    let restart = try lull.start(["restart", "--keep-lines", "phone"])
    try journal.wait("lines-kept", of: "phone")
    try lull.kill()
    let errors = try restart.errors.untilEnd()
    #expect(try restart.end() == .exited(0), "\(errors)")
    try netcat.line.send("ping\n")
    #expect(try netcat.line.line() == "pong")
  }
}

extension Lull {
  /// Installs the phone, which runs in the foreground: it is awake.
  fileprivate func installPhone(_ netcat: Netcat) throws {
    let phone = [try Built.program("lull-phone"), "127.0.0.1", "\(netcat.port)", "--foreground"]
    let install = try start(["install", "phone", "--mode", "voip", "--"] + phone)
    let errors = try install.errors.untilEnd()
    try #require(try install.end() == .exited(0), "\(errors)")
  }
}
