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
  private func call() throws -> (phone: PhoneProcess, address: SocketAddress) {
    let phone = try PhoneProcess(
      ["call", "\(caller.address)", "--embedded", "--source", "tone:440", "--sink", "none"])
    let words = try phone.line(startingWith: "Call begun on port ").split(separator: " ")
    return (phone, .loopback(port: try #require(UInt16(words[4]))))
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
