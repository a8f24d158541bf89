import LullSystem
import LullWire
import Testing

/// Calls with sound of a phone that sleeps between them; netcat types their lines.
@Suite struct CallTests {
  private let ear: DescriptorBox

  init() throws { ear = DescriptorBox(try Socket.bindDatagram(.loopback())) }

  /// A sleeping phone without microphone and speaker, which netcat has called.
  private func ring(_ lull: Lull, _ netcat: Netcat, _ journal: Journal) throws -> Child {
    let phone = try lull.startPhone(netcat, "--source", "tone:440", "--sink", "none")
    #expect(try netcat.line.line() == "ping")
    try journal.waitForSleep(of: "phone")
    try netcat.line.send("notify \(Socket.localAddress(ear.raw)) pt=97\n")
    _ = try phone.output.line { $0 == "Notification: New VOIP call (Answer)" }
    try journal.waitForSleep(of: "phone")
    return phone
  }

  /// The first packet of the call.
  private func packet() throws -> (bytes: [UInt8], sender: SocketAddress) {
    var buffer = ReceiveBuffer(capacity: 2048)
    try Deadline().wait(ear.raw, .readable, for: "a packet of the call")
    let sender = try #require(try Socket.readDatagram(ear.raw, into: &buffer))
    return (Array(buffer.received), sender)
  }

  @Test func `a call that is answered keeps the phone awake until the caller's bye`() throws {
    let (lull, netcat) = (try Lull(), try Netcat())
    let journal = try lull.journal()
    let phone = try ring(lull, netcat, journal)
    #expect(try lull.run("answer", "1", "Answer").status == .exited(0))
    let answer = try netcat.line.line()
    let (bytes, sender) = try packet()
    #expect(answer == "answer \(sender)")
    // Version 2; marker and payload type 97.
    #expect(bytes[0] == 0x80 && bytes[1] == 0x80 | 97)
    #expect(try lull.run("why", "phone").output.contains("task \"call\""))
    #expect(try !lull.cgroup(of: "phone").state().frozen)
    try netcat.line.send("bye\n")
    _ = try phone.output.line { $0.hasPrefix("Call ended: sent ") }
    try journal.waitForSleep(of: "phone")
    try netcat.line.send("ping\n")
    #expect(try netcat.line.line() == "pong")
  }

  @Test func `hanging up says bye and lets the phone sleep`() throws {
    let (lull, netcat) = (try Lull(), try Netcat())
    let journal = try lull.journal()
    let phone = try ring(lull, netcat, journal)
    #expect(try lull.run("answer", "1", "Answer").status == .exited(0))
    _ = try phone.output.line { $0 == "Notification: In a call (Hang up)" }
    #expect(try netcat.line.line().hasPrefix("answer 127.0.0.1:"))
    #expect(try lull.run("answer", "2", "Hang up").status == .exited(0))
    #expect(try netcat.line.line() == "bye")
    _ = try phone.output.line { $0.hasPrefix("Call ended: ") }
    try journal.waitForSleep(of: "phone")
  }

  @Test func `a caller who gives up is missed, and the phone sleeps on`() throws {
    let (lull, netcat) = (try Lull(), try Netcat())
    let journal = try lull.journal()
    let phone = try ring(lull, netcat, journal)
    try netcat.line.send("bye\n")
    _ = try phone.output.line { $0 == "Missed call" }
    try journal.waitForSleep(of: "phone")
    #expect(try lull.run("answer", "1", "Answer").status == .exited(0))
    _ = try phone.output.line { $0 == "Answered" }
    try journal.waitForSleep(of: "phone")
  }
}
