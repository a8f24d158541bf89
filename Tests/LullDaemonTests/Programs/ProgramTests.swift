import LullEngine
import LullSystem
import LullWire
import TestSupport
import Testing

@testable import LullDaemon

/// Programs that speak for themselves. Each is an `nc -U` of its own, a process that can be frozen.
@Suite(.bounded) struct ProgramTests {
  private let daemon: DaemonProcess

  init() throws { daemon = try DaemonProcess() }

  @Test func `the ledger has a program when it is answered, and its end`() throws {
    let phone = try daemon.netcat()
    try phone.launch("phone")
    let entry = try #require(try daemon.ledger().program("phone"))
    #expect(try entry.process.pid == phone.process.pid && entry.command == nil)
    try phone.process.signal(Signal.kill)
    try eventually("its end is not there") { try daemon.ledger().program("phone") == nil }
    let end = try #require(try daemon.ledger().ends.last)
    #expect(end.process == entry.process && end.reason?.known == .crashed)
  }

  @Test func `the end of the daemon thaws every program and tells the guard`() throws {
    let phone = try daemon.netcat()
    try phone.launch("phone")
    try phone.goToBackground()
    try daemon.waitFrozen("phone")
    try daemon.stop()
    #expect(try !daemon.state(of: "phone").frozen)
    var last = try daemon.told().message
    while last.verb != "stopping" { last = try daemon.told().message }
    #expect(try ProcessEntry(of: phone.process.pid).pid == phone.process.pid)
  }
}
