/// A message between two `lull-audio`, the second of which takes over from the first, as
/// docs/PROTOCOL-AUDIO.md lists them.
package enum MessageBetweenAudio {
  /// The first words.
  package enum Verb: String, CaseIterable, Sendable {
    case take, taken
  }

  /// To the first one: it is to give up the session whose ring is this file. The second one has opened the
  /// device already; nil: it waits until the first one has closed it, where this is the last session.
  case take(inode: UInt64, device: String? = nil)
  /// To the second one: the first plays no such session, and the ring tells the frame at which it goes on.
  case taken
}

extension MessageBetweenAudio: DescribedMessage {
  package var verb: Verb {
    switch self {
    case .take: .take
    case .taken: .taken
    }
  }

  package static func blank(_ verb: Verb) -> Self {
    switch verb {
    case .take: .take(inode: 0)
    case .taken: .taken
    }
  }

  package func visited(by fields: inout some FieldVisitor) throws(WireError) -> Self {
    switch self {
    case .take(let inode, let device):
      .take(
        inode: try fields.needed(.inode, .unsigned, value: inode),
        device: try fields.optional(.device, .deviceName, value: device))
    case .taken: self
    }
  }
}
