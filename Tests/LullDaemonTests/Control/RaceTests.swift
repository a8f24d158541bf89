import LullSystem
import LullWire
import TestSupport
import Testing

@testable import LullDaemon

/// Requests that arrive together. The daemon is stopped by SIGSTOP while they are sent, so that it finds them
/// all at once, in the order in which they were sent.
@Suite(.bounded) struct RaceTests {
  private let daemon: DaemonProcess
  private let boss: Peer
  private let phone: Peer
  private let ticket: String

  /// A program in the background that is awake for a wake.
  init() throws {
    daemon = try DaemonProcess()
    boss = try daemon.connect()
    phone = try daemon.netcat()
    try phone.launch("phone")
    try phone.goToBackground()
    try daemon.waitFrozen("phone")
    try boss.ask("wake name=phone")
    ticket = try phone.laterNotice(.wake).string(.ticket)
    try phone.settle()
  }

  private func together(_ body: () throws -> Void) throws {
    try daemon.signal(Signal.stop)
    try eventually("the daemon did not stop") { try Process.isStopped(daemon.pid) }
    try body()
    try daemon.signal(Signal.continue)
  }

  @Test func `each gets its own answer when a program speaks during its freeze`() throws {
    try together {
      try boss.say("suspend name=phone\n")
      try phone.say("begin-task name=upload\n")
      try phone.settle()
    }
    let suspended = try boss.response().last
    #expect(suspended[.state] == "background")
    #expect(suspended[.task] == nil)
    #expect(try phone.response().last[.task] == "1")
    #expect(try boss.ask("status name=phone").items(.program).first?[.state] == "background")
    #expect(try !daemon.state(of: "phone").frozen)
  }

  @Test func `replies keep their order when a freeze lies between two requests`() throws {
    // More than the daemon reads at once: the second request is still in the socket when the freeze begins.
    let padding = String(repeating: "\n", count: 20_000)
    try together {
      try phone.say("done ticket=\(ticket)\n" + padding + "remaining\n")
      try phone.settle()
    }
    // The program's process is frozen again, perhaps with the replies still unread.
    try boss.ask("wake name=phone")
    let responses = try phone.responses(2)
    #expect(responses[0].last.fields.isEmpty)
    #expect(responses[1].last[.seconds] != nil)
  }

  @Test func `requests that arrive with a done are heard before the program sleeps`() throws {
    try together {
      try phone.say("done ticket=\(ticket)\nbegin-task name=upload\n")
      try phone.settle()
    }
    let responses = try phone.responses(2)
    #expect(responses[1].last[.task] == "1")
    #expect(try boss.ask("why name=phone").items(.lease).first?[.task] == "upload")
    #expect(try !daemon.state(of: "phone").frozen)
    try phone.say("end-task task=1\n")
    try daemon.waitFrozen("phone")
  }

  @Test func `a suspend and a wake in one go leave the program awake`() throws {
    try together { try boss.say("suspend name=phone\nwake name=phone\n") }
    let responses = try boss.responses(2)
    #expect(responses[0].isOK)
    #expect(responses[1].last[.state] == "background")
    try daemon.waitFrozen("phone", false)
    #expect(try phone.laterNotice(.wake)[.reason] == "operator")
  }
}
