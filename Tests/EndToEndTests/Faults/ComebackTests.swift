import LullInspect
import LullSystem
import LullWire
import TestSupport
import Testing

/// A program on the library that finds the next daemon seconds after its beginning.
@Suite(.tags(.faults), .bounded) struct ComebackTests {
  private let lull: Lull
  private let netcat: Netcat

  init() throws {
    lull = try Lull()
    netcat = try Netcat()
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

  /// The phone looks for a daemon every 5 s by then.
  @Test func `one that runs in a command does not sleep before it has found the next daemon`() throws {
    let journal = try lull.journal()
    let words = [try Built.program("lull-phone"), "127.0.0.1:\(netcat.port)"]
    let pid = try lull.runDetached("phone", words, options: ["--mode", "voip"])
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
