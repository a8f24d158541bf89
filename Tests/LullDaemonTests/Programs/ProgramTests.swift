import LullEngine
import LullSystem
import LullWire
import TestSupport
import Testing

@testable import LullDaemon

/// Programs that speak for themselves. Each is an `nc -U` of its own, a process that can be frozen.
@Suite(.bounded) struct ProgramTests {
  private let daemon: DaemonProcess
  private let boss: Peer

  init() throws {
    daemon = try DaemonProcess()
    boss = try daemon.connect()
  }

  @Test func `register answers with the state and begins the launch`() throws {
    let phone = try daemon.netcat()
    let registered = try phone.ask("register name=phone modes=voip,audio").last
    #expect(registered[.name] == "phone")
    #expect(registered[.state] == "inactive")
    #expect(registered[.handover] == "false")
    for message in ["willFinishLaunching", "didFinishLaunching", "didBecomeActive"] {
      try phone.returned(message)
    }
    let item = try boss.ask("status name=phone").items(.program).first
    #expect(item?[.state] == "active")
    #expect(item?[.modes] == "voip,audio")
    #expect(item?[.managed] == "library")
    #expect(try item?[.pids] == "\(phone.process.pid)")
  }

  @Test func `a program in the background is frozen, woken, and frozen again when it says done`() throws {
    let phone = try daemon.netcat()
    try phone.launch("phone")
    try phone.goToBackground()
    try daemon.waitFrozen("phone")
    try boss.waitState("phone", "suspended")
    #expect(try boss.ask("wake name=phone").last[.state] == "background")
    let wake = try phone.laterNotice(.wake)
    #expect(wake[.reason] == "operator")
    try daemon.waitFrozen("phone", false)
    try phone.say("done ticket=\(wake.string(.ticket))\n")
    try daemon.waitFrozen("phone")
  }

  @Test func `a process of a program speaks for that program and for no other`() throws {
    let (phone, other) = (try daemon.netcat(), try daemon.netcat())
    try phone.launch("phone")
    try other.launch("other")
    let hello = try phone.ask("hello").last
    #expect(hello[.identity] == "program")
    #expect(hello[.name] == "phone")
    let refused = [
      "status name=other", "lines name=other", "why name=other", "wake name=other", "suspend name=other",
      "quit name=other", "foreground name=other", "background name=other", "log", "notifications",
      "answer notification=1 action=default", "run", "attach name=other", "signal name=other number=9",
      "started", "ended name=other", "command arguments=1",
    ]
    for line in refused { #expect(try phone.ask(line).code == .refused, "\(line)") }
    #expect(try phone.ask("status").items(.program).map { $0[.name] } == ["phone"])
    #expect(try phone.ask("why name=phone").isOK)
  }

  @Test func `a second program of the same name is refused and stays the operator`() throws {
    let phone = try daemon.netcat()
    try phone.launch("phone")
    let second = try daemon.netcat()
    #expect(try second.ask("register name=phone modes=voip").code == .nameInUse)
    #expect(try second.ask("hello").last[.identity] == "operator")
  }

  @Test func `the ledger has a program when it is answered, and its end`() throws {
    let phone = try daemon.netcat()
    try phone.launch("phone")
    let entry = try #require(try daemon.ledger().program("phone"))
    #expect(try entry.process.pid == phone.process.pid && entry.command == nil)
    try phone.process.signal(Signal.kill)
    try eventually("its end is not there") { try daemon.ledger().program("phone") == nil }
    let end = try #require(try daemon.ledger().ends.last)
    #expect(end.process == entry.process && end.reason == "crashed")
  }

  @Test func `bye ends the management; the process goes on outside`() throws {
    let phone = try daemon.netcat()
    try phone.launch("phone")
    #expect(try phone.ask("bye").isOK)
    #expect(try phone.ask("hello").last[.identity] == "operator")
    #expect(try boss.ask("status").items(.program).isEmpty)
    #expect(try !Files.exists("\(#require(daemon.cgroupRoot))/phone.program"))
    #expect(try phone.ask("register name=phone modes=voip").isOK)
  }

  @Test func `keep-alives, tasks and the time that remains`() throws {
    let phone = try daemon.netcat()
    try phone.launch("phone")
    #expect(try phone.ask("keepalive timeout=599.9").code == .keepaliveTooShort)
    #expect(try phone.ask("keepalive timeout=600").isOK)
    #expect(try boss.ask("status").items(.keepalive).first?[.timeoutSeconds] == "600")
    #expect(try phone.ask("keepalive").isOK)
    #expect(try boss.ask("status").items(.keepalive).isEmpty)
    #expect(try phone.ask("remaining").last[.seconds] == nil)
    let task = try phone.ask("begin-task name=upload").last
    #expect(task[.task] == "1")
    #expect(task[.remainingSeconds] == nil)
    try phone.goToBackground()
    #expect(try phone.response().isOK)
    #expect(try boss.ask("why name=phone").items(.lease).map { $0[.task] } == ["upload"])
    #expect(try phone.ask("remaining").last.number(.seconds) <= 600)
    #expect(try boss.ask("suspend name=phone").code == .busy)
    #expect(try phone.ask("end-task task=4294967297").code == .badValue)
    try phone.say("end-task task=1\n")
    try daemon.waitFrozen("phone")
  }

  @Test func `a hold needs a descriptor`() throws {
    let phone = try daemon.netcat()
    try phone.launch("phone")
    #expect(try phone.ask("hold fd=0").code == .missingField)
    #expect(try phone.ask("release line=1").code == .noSuchLine)
  }

  @Test func `quit lets an awake program say goodbye`() throws {
    let phone = try daemon.netcat()
    try phone.launch("phone")
    #expect(try boss.ask("quit name=phone").isOK)
    let notice = try phone.laterNotice(.deliver)
    #expect(notice[.message] == "willTerminate")
    try phone.say("did ticket=\(notice.string(.ticket))\n")
    #expect(try phone.process.end() == .signaled(Signal.kill))
    try eventually("the program was not forgotten") { try boss.ask("status").items(.program).isEmpty }
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
