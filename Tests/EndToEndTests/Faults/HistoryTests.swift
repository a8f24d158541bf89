import Glibc
import LullSystem
import LullWire
import TestSupport
import Testing

/// The journal over restarts, and where it cannot be written.
@Suite(.tags(.faults), .bounded) struct HistoryTests {
  /// A sleeping server of datagrams, and a peer of it.
  private func sleeper(_ stage: Stage) throws -> Channel {
    let port = try stage.network.freePort()
    try stage.run("echo", Python.command(Python.datagrams, "\(port)"))
    try stage.journal.waitForSleep(of: "echo")
    return try stage.network.datagrams(to: port)
  }

  private func wake(_ peer: Channel, _ journal: Journal) throws {
    try peer.send("hello\n")
    #expect(try peer.line() == "hello")
    try journal.wait("woke", of: "echo", cause: "data")
    try journal.waitForSleep(of: "echo")
  }

  private func text(_ path: String) throws -> String {
    String(decoding: try Files.read(path, limit: 1 << 22), as: UTF8.self)
  }

  @Test func `after a kill of lulld the log, the last wake and the wakes reach back`() throws {
    let stage = try Stage()
    let lull = stage.lull
    let peer = try sleeper(stage)
    for _ in 1...2 { try wake(peer, stage.journal) }
    let path = try #require(try lull.journalCheck()[.detail])
    try eventually("the wakes were not written") {
      try text(path).split(separator: "\n").count { $0.contains("what=woke") } == 2
    }
    try lull.kill()
    let journal = try lull.journal()
    try journal.waitForSleep(of: "echo")
    let starts = try lull.order("log boot").all(.entry).filter { $0["what"] == "started" }
    let detail = starts.last?[.detail] ?? ""
    #expect(starts.count == 2 && detail.hasPrefix("predecessor-failed count=1"), "\(starts)")
    let woke = try lull.order("log name=echo boot").all(.entry).filter { $0["what"] == "woke" }
    #expect(woke.count == 2 && woke.allSatisfy { $0[.earlier] != nil && $0[.peer] != nil }, "\(woke)")
    #expect(try stage.why("echo").contains(" ago by data that arrived from 127.0.0.1:"))
    try wake(peer, journal)
    let wakes = try lull.run("wakes", "echo", "--json").output
    #expect(wakes.contains("\"count\" : 3,") && wakes.contains("\"reason\" : \"data\""), "\(wakes)")
    #expect(try lull.run("log", "echo", "--since", "1 h ago").output.split(separator: "\n").count > 10)
    let nobody = try lull.run("log", "nobody")
    #expect(nobody.errors.hasPrefix("lull: no program \"nobody\"; see \"lull status\", and \"lull list\" "))
    #expect(nobody.status == .exited(1))
  }

  @Test func `an orderly end is told, and the next pair goes on in the same file`() throws {
    let lull = try Lull()
    // A daemon that answers has begun its journal.
    _ = try lull.pid
    try lull.guardian.signal(Signal.terminate)
    try lull.startAgain()
    let entries = try lull.order("log").all(.entry)
    #expect(entries.map { $0["what"] ?? "" } == ["started", "signal", "stopped", "started"])
    #expect(entries.map { $0[.earlier] != nil } == [true, true, true, false])
  }

  @Test func `a full disk is said once and costs nothing else`() throws {
    let sandbox = try Sandbox()
    let state = "\(sandbox.directory)/state"
    try Kernel.check(unsafe mkdir(state, 0o755))
    try Kernel.check(unsafe mount("none", state, "tmpfs", 0, "size=4k"))
    defer { _ = unsafe umount2(state, 2) }
    try Kernel.write(String(repeating: "x", count: 4096), to: "\(state)/full")
    let lull = try Lull(sandbox: sandbox)
    let journal = try lull.journal()
    let (puppet, peer) = try Puppet.sleeping(lull, journal)
    try peer.send("hello")
    #expect(try puppet.bytes() == "hello")
    try journal.wait("woke", of: puppet.name)
    try eventually("doctor did not say it") { try lull.journalCheck()[.result] == "limited" }
    let note = "Note: the journal is kept in memory alone: write \(state)/lull/"
    let status = try lull.run("status").output.split(whereSeparator: \.isWhitespace)
    #expect(status.joined(separator: " ").contains(note))
    #expect(try lull.run("log").output.contains("  puppet  woke (data)"))
    #expect(try lull.run("log").output.split(separator: "\n").count { $0.contains("journal-unwritten") } == 1)
    try lull.guardian.signal(Signal.terminate)
    let said = try lull.guardian.errors.untilEnd()
    #expect(said.split(separator: "\n").count { $0.contains("the journal is kept in memory alone") } == 1)
  }

  @Test func `why says what a command waits for that was just started`() throws {
    let stage = try Stage()
    // One that was looked at meanwhile is none that was just started.
    var count = 0
    try eventually("nobody was asked in time") {
      count += 1
      let port = try stage.network.freePort()
      try stage.run("echo-\(count)", Python.command(Python.datagrams, "\(port)"))
      try stage.journal.wait("state", of: "echo-\(count)", detail: "background")
      return try stage.why("echo-\(count)").contains(
        "\nit sleeps if it is found idle, which is looked at in ")
    }
  }

  @Test func `why names the guard that let a program go on`() throws {
    let stage = try Stage()
    _ = try sleeper(stage)
    let pid = try stage.lull.pid
    try Process.kill(pid, Signal.stop)
    try stage.journal.wait("guard-thawed")
    #expect(try stage.why("echo").contains("\nlull-guard woke it, and every other program"))
  }

  @Test func `SIGTERM ends a follower quietly`() throws {
    let lull = try Lull()
    let follower = try lull.start(["log", "--follow"])
    _ = try follower.output.line { $0.hasSuffix("lulld  started") }
    try follower.signal(Signal.terminate)
    #expect(try follower.end() == .exited(0))
    #expect(try follower.errors.untilEnd().isEmpty)
  }
}
