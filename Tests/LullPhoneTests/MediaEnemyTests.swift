import LullSystem
import TestSupport
import Testing

/// Strangers who send to the port of a call, and peers that do not do what was signalled.
@Suite(.bounded) struct MediaEnemyTests {
  private let caller: FarEnd
  private let stranger: FarEnd

  init() throws {
    caller = try FarEnd()
    stranger = try FarEnd(host: "127.0.0.2", source: 0x57A_1E4)
  }

  /// A phone in a call with the caller, and the address at which it receives.
  private func call(_ options: [String] = []) throws -> (phone: PhoneProcess, address: SocketAddress) {
    let phone = try PhoneProcess(
      ["call", "\(caller.address)", "--embedded", "--source", "tone:440", "--sink", "none"] + options)
    let words = try phone.line(startingWith: "Call begun on port ").split(separator: " ")
    return (phone, .loopback(port: try #require(UInt16(words[4]))))
  }

  @Test func `A stranger who sends in a call gets nothing, and the caller all of it`() throws {
    let (phone, address) = try call()
    for _ in 0..<20 {
      try stranger.speak(to: address)
      _ = try caller.packet()
    }
    try caller.speak(to: address)
    #expect(try phone.line(startingWith: "Hearing ") == "Hearing \(caller.address)")
    for _ in 0..<60 {
      try stranger.speak(to: address)
      try caller.speak(to: address)
      _ = try caller.packet()
    }
    #expect(try !stranger.hears())
    try phone.send(Signal.terminate)
    let end = try phone.line(startingWith: "Call ended: ")
    #expect(end.contains(" lost 0,"), "\(end)")
  }

  @Test func `What a stranger sent while it rang does not count when the call is answered`() throws {
    let listener = try Socket.listen(.loopback())
    let port = try #require(try Socket.localAddress(listener.raw).port)
    let phone = try PhoneProcess([
      "127.0.0.1:\(port)", "--embedded", "--foreground", "--dial", "--source", "tone:440", "--sink", "none",
    ])
    try ready(listener.raw, .readable)
    let line: DescriptorBox
    switch try Socket.accept(from: listener.raw) {
    case .some(let connection): line = DescriptorBox(connection)
    case .none: throw SystemError.timedOut("accept")
    }
    _ = try phone.line(startingWith: "Calling")
    let address = try offer(on: line)
    for _ in 0..<200 { try stranger.speak(to: address) }
    let answer = Array("answer \(caller.address)\n".utf8)
    #expect(try Socket.write(line.raw, answer) == .sent(answer.count))
    // The stranger has fallen silent; a second later it would be learnt.
    for _ in 0..<75 { _ = try caller.packet() }
    #expect(try !stranger.hears())
    try caller.speak(to: address)
    #expect(try phone.line(startingWith: "Hearing ") == "Hearing \(caller.address)")
  }

  /// The address in the `notify` that comes on the connection.
  private func offer(on line: DescriptorBox) throws -> SocketAddress {
    var buffer = ReceiveBuffer(capacity: 4096)
    var text = ""
    while true {
      for found in text.split(separator: "\n") where found.hasPrefix("notify ") {
        return try #require(SocketAddress(numeric: String(found.split(separator: " ")[1])))
      }
      try ready(line.raw, .readable, "no notify")
      guard case .bytes = try Socket.read(line.raw, into: &buffer) else { break }
      text += String(decoding: buffer.received, as: UTF8.self)
    }
    throw SystemError.timedOut("notify")
  }

  @Test func `A caller behind a translator of addresses is heard and spoken to`() throws {
    let (phone, address) = try call()
    var tries = 0
    while try !stranger.hears() {
      try stranger.speak(to: address)
      tries += 1
      try #require(tries < 500, "the caller behind the translator was never learnt")
    }
    #expect(try phone.line(startingWith: "Hearing ") == "Hearing \(stranger.address)")
  }

  @Test func `A flood of datagrams from a stranger does not end the call or take it`() throws {
    let (phone, address) = try call()
    try caller.speak(to: address)
    #expect(try phone.line(startingWith: "Hearing ") == "Hearing \(caller.address)")
    for _ in 0..<50 {
      for _ in 0..<200 { try stranger.speak(to: address) }
      try waitUntilRead(address)
      try caller.speak(to: address)
      _ = try caller.packet()
    }
    #expect(try !stranger.hears())
    try phone.send(Signal.terminate)
    let end = try phone.line(startingWith: "Call ended: ")
    #expect(end.contains(" lost 0,"), "\(end)")
  }

  /// Waits until the phone has read what came to its port: the kernel has room for one flood at a time.
  private func waitUntilRead(_ address: SocketAddress) throws {
    let port = String(try #require(address.port), radix: 16, uppercase: true)
    let end = ":" + String(repeating: "0", count: 4 - port.utf8.count) + port
    let deadline = Deadline()
    while true {
      let table = String(decoding: try Files.read("/proc/net/udp", limit: 1 << 20), as: UTF8.self)
      let rows = table.split(separator: "\n").map { $0.split(separator: " ") }
      let row = try #require(rows.first { $0[1].hasSuffix(end) })
      // What waits to be sent and to be read, in bytes.
      if row[4].hasSuffix(":00000000") { return }
      guard !deadline.isOver else { throw NothingCame(description: "the phone does not read") }
      _ = try Socket.poll(StandardStreams.error, [], timeoutMilliseconds: 2)
    }
  }

  @Test func `A good-bye that comes on the port after that of the sound ends the call`() throws {
    let (phone, address) = try call()
    try caller.speak(to: address)
    _ = try phone.line(startingWith: "Hearing ")
    try stranger.report(to: address, isLast: true)
    try caller.report(to: address, isLast: true)
    _ = try phone.line(startingWith: "Call ended: ")
    #expect(try phone.status() == .exited(0))
  }

  @Test func `Reports go where those of the peer come from`() throws {
    let (phone, address) = try call()
    try caller.report(to: address)
    try caller.speak(to: address)
    _ = try phone.line(startingWith: "Hearing ")
    _ = try caller.packet()
    try phone.send(Signal.terminate)
    // A sender report, and the good-bye at its end.
    let report = try caller.reported()
    #expect(report[0] & 0xC0 == 0x80 && report[1] == 200 && report[report.count - 7] == 203)
  }
}
