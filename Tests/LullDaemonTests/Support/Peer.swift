import Glibc
import LullSystem
import LullWire
import TestSupport
import Testing

/// A connection to the daemon: the test's own, or one that `nc -U` holds for the test in a process of its
/// own.
final class Peer {
  /// The reply to one request.
  struct Response {
    var items: [Message] = []
    var last = Message(.ok)
    /// The descriptor that came with the last line.
    var descriptor: DescriptorBox?

    var isOK: Bool { last.answer == .ok }
    /// The code of an error.
    var code: Code? { last[.code].flatMap(Code.init(rawValue:)) }

    var explanation: Explanation? { last[.message].flatMap(Explanation.init) }

    func items(_ kind: ItemKind) -> [Message] { items.filter { $0.itemKind == kind } }
  }

  private let box: DescriptorBox
  /// The descriptor that came last.
  private var received: DescriptorBox?
  private let netcat: Child?
  private var reader = LineReader()
  private var buffer = ReceiveBuffer(capacity: 1 << 16)
  /// Notices that came and were not asked for yet.
  private var notices: [Message] = []

  /// A connection of the test's own process.
  init(path: String) throws {
    box = DescriptorBox(try UnixSocket.connect(path: path))
    netcat = nil
  }

  /// A connection of a new process: `nc -U`, which can become a program and be frozen.
  convenience init(netcatTo path: String) throws { try self.init(running: ["nc", "-U", path]) }

  /// A connection of a new process that is, or becomes, `nc -U`.
  init(running arguments: [String]) throws {
    let (here, there) = try UnixSocket.pair()
    var request = SpawnRequest(arguments)
    request.standardInput = there.raw
    request.standardOutput = there.raw
    netcat = try Child(request)
    there.close()
    box = here
  }

  /// The process of `nc`.
  var process: Child {
    get throws { try #require(netcat, "this peer is the test itself") }
  }

  /// Ends the connection. The race: a child of another test has the descriptor until it becomes its command.
  func close() {
    _ = shutdown(box.raw, Int32(SHUT_RDWR))
    box.close()
  }

  /// The connection's descriptor.
  var raw: Int32 { box.raw }

  func say(_ text: String, descriptor: Int32? = nil) throws {
    try say(Array(text.utf8), descriptor: descriptor)
  }

  func say(_ bytes: [UInt8], descriptor: Int32? = nil) throws {
    #expect(try UnixSocket.send(bytes, descriptor: descriptor, to: box.raw) == .sent(bytes.count))
  }

  /// Sends one request and waits for the reply.
  @discardableResult
  func ask(_ line: String, descriptor: Int32? = nil) throws -> Response {
    try say(line + "\n", descriptor: descriptor)
    return try response()
  }

  /// The reply to the next request in order; notices that stand between are kept for `notice`.
  func response() throws -> Response {
    var response = Response()
    while true {
      let message = try #require(try next(), "the daemon closed the connection")
      switch message.answer {
      case .event: notices.append(message)
      case .item: response.items.append(message)
      default:
        response.last = message
        response.descriptor = received
        return response
      }
    }
  }

  /// The next notice, which must have this name.
  func notice(_ name: Notice) throws -> Message {
    let message: Message
    if notices.isEmpty {
      message = try #require(try next(), "the daemon closed the connection")
    } else {
      message = notices.removeFirst()
    }
    try #require(message.notice == name, "\(message)")
    return message
  }

  /// The next notice of this name; others before it are dropped.
  func laterNotice(_ name: Notice) throws -> Message {
    while true {
      let message =
        notices.isEmpty
        ? try #require(try next(), "the daemon closed the connection") : notices.removeFirst()
      if message.notice == name { return message }
    }
  }

  /// True when the daemon closes the connection without another text line.
  func isEnded() throws -> Bool { try next() == nil }

  /// The next message; nil at the end of the connection.
  func next() throws -> Message? {
    while true {
      if let line = reader.next() {
        guard case .message(let message) = line.content else {
          Issue.record("not a message: \(line.content)")
          return nil
        }
        return message
      }
      try ready(box.raw, .readable, "the daemon said nothing")
      guard case .bytes(_, let descriptor) = try UnixSocket.receive(into: &buffer, from: box.raw) else {
        return nil
      }
      received = descriptor
      reader.append(buffer.received)
    }
  }

  /// Waits until `nc` has taken all that was sent and sleeps in poll again.
  func settle() throws {
    let process = try process
    try eventually("nc did not take what was said") {
      guard try Socket.unsentBytes(box.raw) == 0 else { return false }
      let stat = try Files.read("/proc/\(process.pid)/stat", limit: 1 << 16)
      return try #require(stat.lastIndex(of: UInt8(ascii: ")")).map { stat[$0 + 2] }) == UInt8(ascii: "S")
    }
  }
}
