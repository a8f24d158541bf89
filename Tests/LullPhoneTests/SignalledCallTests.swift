import LullSystem
import TestSupport
import Testing

/// Calls that are made with text lines.
@Suite(.bounded) struct SignalledCallTests {
  private let folder: TemporaryDirectory

  init() throws { folder = try TemporaryDirectory() }

  @Test func `Two phones that netcat connects call each other`() throws {
    let (one, other) = (freePort(), freePort())
    let pipe = "\(folder.path)/pipe"
    let wire = try PhoneProcess(command: [
      "sh", "-c", "mkfifo \(pipe); nc -l 127.0.0.1 \(one) <\(pipe) | nc -l 127.0.0.1 \(other) >\(pipe)",
    ])
    let (here, there) = ("\(folder.path)/here.wav", "\(folder.path)/there.wav")
    let called = try PhoneProcess([
      "127.0.0.1:\(other)", "--embedded", "--foreground", "--auto-answer", "--source", "tone:880", "--sink",
      "file:\(there)",
    ])
    // A pipe is open when both ends are: the caller's text lines wait there for the other phone.
    let caller = try PhoneProcess([
      "127.0.0.1:\(one)", "--embedded", "--foreground", "--dial", "--source", "tone:440", "--sink",
      "file:\(here)",
    ])
    _ = try caller.line(startingWith: "Calling")
    _ = try called.line(startingWith: "Received: notify 127.0.0.1:")
    _ = try caller.line(startingWith: "Received: answer 127.0.0.1:")
    try Recording.wait(for: 440, atLeast: 0.15, in: there)
    try Recording.wait(for: 880, atLeast: 0.15, in: here)
    #expect(try !wire.hasEnded)
    try caller.send(Signal.terminate)
    for phone in [caller, called] { _ = try phone.line(startingWith: "Call ended: ") }
    try called.send(Signal.terminate)
    for phone in [caller, called] { #expect(try phone.status() == .exited(0)) }
  }

  /// Takes the phone's connection, and calls it with an address of this test.
  private func ring(_ options: [String]) throws -> (
    phone: PhoneProcess, line: Channel, ear: DescriptorBox
  ) {
    let listener = try Socket.listen(.loopback())
    let port = try #require(try Socket.localAddress(listener.raw).port)
    let phone = try PhoneProcess(["127.0.0.1:\(port)", "--embedded", "--foreground"] + options)
    try ready(listener.raw, .readable)
    guard let connection = try Socket.accept(from: listener.raw) else {
      throw SystemError.timedOut("accept")
    }
    let line = Channel(DescriptorBox(connection), name: "the phone's connection")
    let ear = DescriptorBox(try Socket.bindDatagram(.loopback()))
    try line.send("notify \(try Socket.localAddress(ear.raw)) pt=97\n")
    return (phone, line, ear)
  }

  @Test func `By hand: notify is answered with an address, sound comes, and bye ends it`() throws {
    let (phone, line, ear) = try ring(["--auto-answer", "--source", "tone:440", "--sink", "none"])
    let answer = try line.line { $0.hasPrefix("answer ") }
    let address = try #require(SocketAddress(numeric: String(answer.dropFirst(7))))
    try ready(ear.raw, .readable)
    var buffer = ReceiveBuffer(capacity: 2048)
    let sender = try #require(try Socket.readDatagram(ear.raw, into: &buffer))
    #expect(sender == address)
    // Version 2; marker and payload type 97.
    #expect(buffer.received[0] == 0x80 && buffer.received[1] == 0x80 | 97)
    try line.send("bye\n")
    #expect(try phone.line(startingWith: "Call ended: ").contains("nothing heard"))
    // The phone takes the next call.
    try line.send("notify \(try Socket.localAddress(ear.raw))\n")
    _ = try line.line { $0.hasPrefix("answer ") }
    try phone.send(Signal.terminate)
    _ = try line.line { $0 == "bye" }
    _ = try phone.line(startingWith: "Call ended: ")
    #expect(try phone.status() == .exited(0))
  }

  @Test func `Where there is no microphone the caller is told, and the phone goes on`() throws {
    let (phone, line, _) = try ring(["--auto-answer"])
    #expect(try phone.line(startingWith: "Had error: ").count > 20)
    _ = try line.line { $0 == "bye" }
    try line.send("ping\n")
    _ = try line.line { $0 == "pong" }
  }
}
