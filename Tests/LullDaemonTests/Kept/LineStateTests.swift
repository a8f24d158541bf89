import LullSystem
import LullWire
import TestSupport
import Testing

@testable import LullDaemon

/// The program's own state of a line, and what is kept, over a real connection; the program is the test's own
/// process, which must never be frozen.
@Suite(.bounded) struct LineStateTests {
  private let daemon: DaemonProcess
  private let boss: Peer
  private let program: Peer
  private let socket: DescriptorBox

  init() throws {
    daemon = try DaemonProcess(hasCgroups: false)
    boss = try daemon.connect()
    _ = try boss.ask("hello")
    program = try daemon.connect()
    socket = DescriptorBox(try Socket.listen(.loopback()))
    #expect(try program.ask("register name=test modes=voip resume=active keepLines").isOK)
  }

  private func tell(_ line: String, state count: Int) throws -> Peer.Response {
    let file = try Files.memoryFile(name: "state", [UInt8](repeating: 7, count: count))
    return try program.ask("line-state line=\(line)", descriptor: file.raw)
  }

  /// What the daemon tells its guard of a line; a descriptor that the guard has not received stays open.
  private func told(_ verb: GuardVerb) throws -> (message: Message, descriptor: DescriptorBox?) {
    while true {
      let told = try daemon.told()
      if told.message.verb == verb.rawValue { return told }
    }
  }

  @Test func `a state of 4096 bytes is taken, and one of 5 KiB is refused with the reason`() throws {
    let line = try program.ask("hold fd=\(socket.raw) name=door", descriptor: socket.raw).last[.line] ?? ""
    #expect(try tell(line, state: 4096).isOK)
    let answer = try tell(line, state: 5120)
    #expect(answer.code == .badValue)
    #expect(answer.last[.message] == "state-too-large limit=4096 bytes=5120")
    #expect(try tell(line, state: 0).isOK)
    #expect(try tell("77", state: 1).code == .noSuchLine)
    #expect(try program.ask("line-state line=\(line)", descriptor: socket.raw).code == .badValue)
    #expect(try program.ask("line-state line=\(line)").code == .missingField)
  }

  @Test func `a line that is released is held no longer`() throws {
    let (here, there) = try UnixSocket.pair()
    let line = try program.ask("hold fd=\(there.raw)", descriptor: there.raw).last[.line] ?? ""
    let kept = try told(.keepLine)
    #expect(try program.ask("release line=\(line)").isOK)
    there.close()
    #expect(try told(.dropLine).message[.line] == kept.message[.line])
    kept.descriptor?.close()
    try ready(here.raw, .readHangUp, "the peer did not learn of the end")
  }
}
