import LullSystem
import LullWire

/// The socket to lulld: lines in both directions, without replies.
final class Link {
  static let number: Int32 = 3
  /// Bytes that may wait for lulld.
  private static let maximumOutbox = 1 << 20
  let descriptor: DescriptorBox
  private var reader = LineReader()
  private var descriptors: [DescriptorBox] = []
  private var buffer = ReceiveBuffer(capacity: 16_384)
  private var outbox: [UInt8] = []

  init() throws(SystemError) {
    descriptor = DescriptorBox(try Descriptor.duplicating(Self.number))
  }

  /// The messages that have come, each with the descriptor that travelled with it; nil at the end.
  func receive() -> [(Message, DescriptorBox?)]? {
    var messages: [(Message, DescriptorBox?)] = []
    while true {
      switch (try? UnixSocket.receive(into: &buffer, from: descriptor.raw)) ?? .endOfStream {
      case .bytes(_, let passed):
        if let passed { descriptors.append(passed) }
        reader.append(buffer.received, descriptors: passed == nil ? 0 : 1)
      // A lulld that reads nothing of so much hangs; the next one starts another of this.
      case .wouldBlock: return outbox.count > Self.maximumOutbox ? nil : messages
      case .descriptorLost, .endOfStream: return nil
      }
      while let line = reader.next() {
        let own = line.descriptors > 0 && !descriptors.isEmpty ? descriptors.removeFirst() : nil
        if case .message(let message) = line.content { messages.append((message, own)) }
      }
    }
  }

  /// Something waits until the socket has room.
  var hasMore: Bool { !outbox.isEmpty }

  func tell(_ message: Message) {
    message.encodeTruncating(into: &outbox)
    flush()
  }

  /// Sends what there is room for.
  func flush() {
    while !outbox.isEmpty {
      guard case .sent(let count)? = try? UnixSocket.send(outbox, to: descriptor.raw) else { return }
      outbox.removeFirst(count)
    }
  }
}
