import LullSystem
import LullWire
import TestSupport
import Testing

import enum LullSystem.ExitStatus

/// Live connections over the end of lull-phone, which is on the library.
@Suite(.bounded) struct KeptLineTests {
  let lull: Lull
  let netcat: Netcat
  let journal: Journal

  init() throws { (lull, netcat, journal) = try Self.stage() }

  private static func stage() throws -> (Lull, Netcat, Journal) {
    let lull = try Lull()
    return (lull, try Netcat(), try lull.journal())
  }

  /// Starts the phone detached; returned with its process when it sleeps.
  private func start(_ options: String..., phone: [String] = []) throws -> Int32 {
    let words = [try Built.program("lull-phone"), "127.0.0.1", "\(netcat.port)"] + phone
    let pid = try lull.runDetached("phone", words, options: options)
    #expect(try netcat.line.line() == "ping")
    if phone.isEmpty { try journal.waitForSleep(of: "phone") }
    return pid
  }

  private func kept() throws -> [Message] {
    try lull.order("lines").all(.line).filter { $0[.kept] != nil }
  }

  /// Kills the phone, whose lines are kept then.
  private func crash(_ pid: Int32) throws {
    try Process.kill(pid, Signal.kill)
    try journal.wait("lines-kept", of: "phone")
  }

  @Test func `a restart keeps the connection, and its peer notices nothing`() throws {
    let first = try start()
    let result = try lull.run("restart", "--keep-lines", "phone")
    #expect(result.status == .exited(0), "\(result.errors)")
    try netcat.line.send("ping\n")
    #expect(try netcat.line.line() == "pong")
    let log = try lull.follow("phone")
    _ = try log.output.line { $0 == "Connection Restored" }
    #expect(try lull.field(.pids, of: "phone") != "\(first)")
    try journal.waitForSleep(of: "phone")
    // It wakes by it, and is the phone's as ever: its end closes it.
    try netcat.line.send("ping\n")
    #expect(try netcat.line.line() == "pong")
    #expect(try kept().isEmpty)
    #expect(try lull.run("quit", "phone").status == .exited(0))
    #expect(try netcat.line.untilEnd() == "")
  }

  @Test func `what comes between two lives is read in order, and nothing is launched for a restart`() throws {
    _ = try start()
    try lull.order("quit name=phone keepLines")
    try journal.wait("lines-kept", of: "phone")
    let line = try #require(try lull.order("lines name=phone").all(.line).first)
    #expect(line[.kept] != nil && line[.name] == "server" && line[.line] == "tcp")
    #expect(line[.peer] == "127.0.0.1:\(netcat.port)")
    let table = try lull.run("lines", "phone").output
    #expect(table.contains("kept since "), "\(table)")
    #expect(try lull.run("status", "--all").output.contains("KEPT FOR"))
    try netcat.line.send("one\ntwo\npi")
    try netcat.line.send("ng\n")
    #expect(try lull.run("start", "phone").status == .exited(0))
    #expect(try netcat.line.line() == "pong")
    let log = try lull.follow("phone")
    let received = try (0..<3).map { _ in try log.output.line { $0.hasPrefix("Received: ") } }
    #expect(received == ["Received: one", "Received: two", "Received: ping"])
  }

  @Test func `a phone that is awake is told, and does not take its leave`() throws {
    _ = try start(phone: ["--foreground"])
    #expect(try lull.run("restart", "--keep-lines", "phone").status == .exited(0))
    let log = try lull.follow("phone")
    _ = try log.output.line { $0 == "Connection Kept" }
    _ = try log.output.line { $0 == "Connection Restored" }
    try netcat.line.send("ping\n")
    #expect(try netcat.line.line() == "pong")
  }

  @Test(.tags(.faults)) func `data launches a phone that crashed`() throws {
    try crash(start("--keep-lines"))
    #expect(try kept().count == 1)
    try netcat.line.send("ping\n")
    #expect(try netcat.line.line() == "pong")
    let launched = try journal.wait("launched", of: "phone", cause: "data")
    let detail = try #require(launched[.detail])
    #expect(
      detail.hasPrefix("tcp 127.0.0.1:") && detail.hasSuffix(" from 127.0.0.1:\(netcat.port)"), "\(detail)")
    #expect(try lull.run("why", "phone").output.replacing("\n", with: " ").contains("\(detail) at "))
    try journal.waitForSleep(of: "phone")
    // It crashes again and is launched again.
    try crash(try #require(Int32(lull.field(.pids, of: "phone"))))
    try netcat.line.send("ping\n")
    #expect(try netcat.line.line() == "pong")
  }

  @Test(.tags(.faults)) func `a phone that did not ask for it loses its connection in a crash`() throws {
    try Process.kill(try start(), Signal.kill)
    #expect(try netcat.line.untilEnd() == "")
    #expect(try kept().isEmpty)
  }

  @Test(.tags(.faults)) func `a new guard in place of a dead one has the kept lines, too`() throws {
    try crash(start("--keep-lines"))
    try lull.guardian.signal(Signal.kill)
    try lull.guardian.end()
    try journal.wait("guard-replaced")
    try lull.kill()
    _ = try lull.journal()
    #expect(try kept().count == 1)
    try netcat.line.send("ping\n")
    #expect(try netcat.line.line() == "pong")
    try lull.endReplaced()
  }

  @Test(.tags(.faults)) func `the program is launched to learn that its peer is gone`() throws {
    try crash(start("--keep-lines"))
    try netcat.kill()
    let lost = try journal.wait("kept-line-lost", of: "phone")
    let why = lost[.detail].flatMap(Explanation.init)
    #expect(why?.verb == .linePeerGone, "\(lost)")
    #expect(why?.text?.hasSuffix(" from 127.0.0.1:\(netcat.port)") == true, "\(lost)")
    let back = try Netcat(port: netcat.port)
    #expect(try back.line.line() == "ping")
    let log = try lull.follow("phone")
    _ = try log.output.line { $0 == "Connection Restored" }
    _ = try log.output.line { $0 == "Connection Closed" }
  }

  @Test func `to forget it ends what is kept, and tells it`() throws {
    try crash(start("--keep-lines"))
    let forgotten = try lull.run("forget", "phone").output
    #expect(forgotten.hasPrefix("phone is forgotten: its record and its log ("), "\(forgotten)")
    #expect(forgotten.hasSuffix(" bytes) and its kept connections\n"), "\(forgotten)")
    #expect(try netcat.line.untilEnd() == "")
    #expect(try kept().isEmpty)
  }

  @Test func `a program that nothing can start again is not ended to keep its lines`() throws {
    let phone = try lull.startPhone(netcat)
    try journal.waitForSleep(of: "phone")
    let answer = try lull.connect().ask("quit name=phone keepLines").last
    #expect(answer[.code] == Code.unsupported.rawValue)
    #expect(try phone.isAlive)
  }
}
