import LullEngine
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

  @Test func `one whose file is gone is forgotten`() throws {
    let entries = (names + ["zero"]).map { InstalledEntry(name: $0, state: .quit) }
    let daemon = try daemon(entries)
    try daemon.connect().ask("hello")
    #expect(try daemon.ledger().installed.map(\.name).sorted() == names)
  }
}
