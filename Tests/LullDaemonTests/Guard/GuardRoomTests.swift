import LullChannel
import LullSystem
import LullWire
import TestSupport
import Testing

@testable import LullDaemon

/// A guard that has no room for a program; the test is the guard.
@Suite(.bounded) struct GuardRoomTests {
  @Test func `what is said of it ends when there is room`() throws {
    let daemon = try DaemonProcess()
    let boss = try daemon.connect()
    let (phone, other) = (try daemon.netcat(), try daemon.netcat())
    try phone.launch("phone")
    try other.launch("other")
    for name in ["phone", "other"] { #expect(try daemon.told().message[.name] == name) }
    func remark() throws -> String? { try boss.ask("why name=phone").items(.remark).first?[.text] }
    daemon.link.tell(Message(GuardVerb.full).adding(.name, "phone"))
    try eventually("no word of the guard") {
      try remark()?.contains("lull-guard has no descriptor left") == true
    }
    try other.process.signal(Signal.kill)
    #expect(try daemon.told().message == Message(GuardVerb.forget).adding(.name, "other"))
    let stored = try daemon.told()
    #expect(stored.message.verb == "store" && stored.message[.name] == "phone")
    #expect(try remark()?.contains("lull-guard") != true)
  }
}
