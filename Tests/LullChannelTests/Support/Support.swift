import LullChannel
import LullSystem
import LullWire
import Testing

/// A channel and the other end of its socket, which the test writes to and reads from as it likes.
final class Ends {
  let channel: MessageChannel
  let peer: DescriptorBox
  var buffer = ReceiveBuffer(capacity: 16_384)

  init(
    _ overload: Overload = .dropPeer, maximumOutput: Int = 1 << 20, maximumLine: Int = Limits.maximumLine,
    total: OutputTotal = OutputTotal()
  ) throws {
    let (own, other) = try UnixSocket.pair()
    channel = MessageChannel(
      own, overload: overload, maximumOutput: maximumOutput, maximumLine: maximumLine, total: total)
    peer = other
  }

  /// The peer writes a text, perhaps with a descriptor.
  func write(_ text: String, _ descriptor: Int32? = nil) throws {
    let bytes = Array(text.utf8)
    #expect(try UnixSocket.send(bytes, descriptor: descriptor, to: peer.raw) == .sent(bytes.count))
  }

  /// The peer takes everything that has come, the descriptors apart.
  func read() throws -> (text: String, descriptors: [DescriptorBox]) {
    var (bytes, descriptors): ([UInt8], [DescriptorBox]) = ([], [])
    while case .bytes(_, let descriptor) = try UnixSocket.receive(into: &buffer, from: peer.raw) {
      bytes += buffer.received
      if let descriptor { descriptors.append(descriptor) }
    }
    return (String(decoding: bytes, as: UTF8.self), descriptors)
  }

  /// Tells messages until the socket has no room.
  func fill(with message: Message = Ends.long) {
    while channel.stalledSince == nil { channel.tell(message) }
  }

  /// About a kilobyte.
  static let long = Message("item", Field("text", String(repeating: "x", count: 1000)))
}

extension Ends {
  /// The channel reads once; the text lines, each as its verb (`+`: with a descriptor), `invalid` or its end.
  func hear() -> [String] {
    let arrival = channel.receive(into: &buffer)
    var lines: [String] = []
    while let incoming = channel.next() {
      switch incoming {
      case .message(let message, let descriptor): lines.append(message.verb + (descriptor == nil ? "" : "+"))
      case .invalid: lines.append("invalid")
      case .ended(let end): lines.append("\(end)")
      }
    }
    if case .ended(let end) = arrival { lines.append("\(end)") }
    return lines
  }
}
