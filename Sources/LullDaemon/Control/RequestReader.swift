import LullChannel
import LullSystem
import LullWire

struct RequestReader: ~Copyable {
  /// The number of reads of one client in a turn: a client that sends faster than the daemon answers must not
  /// keep the others waiting.
  static let readsAtOnce = 8

  typealias Incoming = (message: Message, descriptor: DescriptorBox?)

  enum Outcome {
    case request(Incoming)
    /// A text line that is no request.
    case refused(Reply)
    /// A text line after which nothing more can be read from the client.
    case lost(Reply)
    case end
    case nothing
  }

  private let journal: Journal
  private var buffer = ReceiveBuffer(capacity: 16_384)

  init(_ journal: Journal) { self.journal = journal }

  /// The bytes that have been read come first, then the socket, with at most `reads` reads.
  mutating func next(from client: Client, reads: inout Int) -> Outcome {
    let channel = client.channel
    while !client.isWaiting, !client.isClosing {
      if let incoming = channel.next() { return outcome(incoming) }
      guard !channel.isHeldUp, reads > 0 else { return .nothing }
      reads -= 1
      switch channel.receive(into: &buffer) {
      case .bytes: break
      case .nothing: return .nothing
      case .ended(let end): return outcome(end)
      }
    }
    return .nothing
  }

  private func outcome(_ incoming: LullChannel.Incoming) -> Outcome {
    switch incoming {
    case .message(let message, let descriptor): .request((message, descriptor))
    case .invalid(let error): .refused(Reply(error))
    case .ended(let end): outcome(end)
    }
  }

  private func outcome(_ end: ChannelEnd) -> Outcome {
    if case .failed(let error) = end { journal.noteUnexpected(error, except: .closed) }
    return end.reply.map(Outcome.lost) ?? .end
  }
}
