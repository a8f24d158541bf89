import LullEngine
import LullSystem
import LullWire
import TestSupport
import Testing

@testable import LullDaemon

/// What a daemon knows of installed programs from the one before it.
@Suite(.bounded) struct InstalledMemoryTests {
  private let names = ["one", "three", "two"]

  private func daemon(_ entries: [InstalledEntry]) throws -> DaemonProcess {
    try DaemonProcess(
      installed: ["one": "-- sleep 1000\n", "two": "-- sleep 1000\n", "three": "-- sleep 1000\n"],
      ledger: [.began(isAfterFault: false)] + entries.map(LedgerRecord.installed))
  }

  @Test func `every installed program keeps its keep-alive and its crashes`() throws {
    let daemon = try daemon(
      names.map {
        InstalledEntry(
          name: $0, state: .ended, cause: .user, restarts: 2, keepAlive: .seconds(600), lastRun: 1)
      })
    try daemon.connect().ask("hello")
    let installed = try daemon.ledger().installed.sorted { $0.name < $1.name }
    #expect(installed.map(\.name) == names)
    #expect(installed.map(\.restarts) == [2, 2, 2])
    #expect(installed.map(\.keepAlive) == [.seconds(600), .seconds(600), .seconds(600)])
  }

  /// What the next daemon says of a program of this ledger, whose keeper still listens.
  private func item(_ records: LedgerRecord...) throws -> Message {
    let daemon = try DaemonProcess(
      installed: ["one": "-- sleep 1000\n"], ledger: [.began(isAfterFault: false)] + records, keeper: "one")
    return try #require(try daemon.connect().ask("installed").items(.installed).first)
  }

  @Test func `the wait after a crash goes on`() throws {
    let entry = InstalledEntry(
      name: "one", state: .waiting, cause: .crash, restarts: 1, due: Clock.boottime() + 200_000_000_000)
    let item = try item(.installed(entry))
    let left = try #require(item[.dueInSeconds].flatMap { Double($0) })
    #expect(left > 100 && left <= 200 && item[.restarts] == "1" && item[.cause] == "crash", "\(item)")
  }

  @Test func `a crash of which the daemon has told the end alone is a crash, though a keeper still lives`()
    throws
  {
    let process = ProcessIdentity(pid: 1, start: 9)
    let end = EndEntry(
      name: "one", at: 5, process: process, status: .signaled(11), reason: OpenWord(.crashed))
    let item = try item(
      .installed(InstalledEntry(name: "one", state: .running, cause: .user)),
      .program(ProgramEntry(name: "one", process: process, suspension: .cgroup)), .ended(end))
    #expect(item[.cause] == "crash" && item[.restarts] == "1", "\(item)")
    #expect(try #require(item[.dueInSeconds].flatMap { Double($0) }) <= 1)
  }

  @Test func `an end that the daemon before has not noted is in the journal`() throws {
    let end = EndEntry(
      name: "one", at: Clock.realtime(), process: ProcessIdentity(pid: 1, start: 9), status: .signaled(11),
      reason: OpenWord(.crashed))
    let daemon = try DaemonProcess(ledger: [.began(isAfterFault: false), .ended(end)])
    let told = try daemon.connect().ask("log name=one").items(.entry)
    #expect(told.map { $0[.what] } == ["exited"])
    #expect(told.first?[.detail] == "SIGSEGV" && told.first?[.earlier] == "true", "\(told)")
  }

  @Test func `one whose file is gone is forgotten`() throws {
    let entries = (names + ["zero"]).map { InstalledEntry(name: $0, state: .quit) }
    let daemon = try daemon(entries)
    try daemon.connect().ask("hello")
    #expect(try daemon.ledger().installed.map(\.name).sorted() == names)
  }
}
