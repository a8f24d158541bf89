package import LullSystem
package import LullWire

package enum ChannelEnd: Equatable {
  case hungUp
  /// The kernel dropped a descriptor: its text line can no longer be told.
  case descriptorLost
  /// More descriptors came than belong to one text line: a peer could fill this process with them.
  case tooManyDescriptors
  case tooLong
  case overrun
  case failed(SystemError)
  case finished
}

extension ChannelEnd {
  /// To be sent before the channel is closed; nil where there is nothing to say or nobody to read it.
  package var reply: Reply? {
    switch self {
    case .descriptorLost:
      .error(code: .lostDescriptor, message: "a descriptor was lost on its way; connect again")
    case .tooManyDescriptors:
      .error(code: .malformed, message: MessageChannel.oneDescriptor + "; connect again")
    case .tooLong: Reply(.tooLong)
    case .hungUp, .overrun, .failed, .finished: nil
    }
  }
}

package enum Arrival: Equatable {
  /// Bytes came, of which `next` makes lines. `isAll`: nothing else waited when they were read.
  case bytes(isAll: Bool)
  case nothing
  case ended(ChannelEnd)
}

package enum Incoming {
  case message(Message, DescriptorBox?)
  /// No message: the error is to be answered, and the channel goes on.
  case invalid(WireError)
  case ended(ChannelEnd)
}

package enum Delivery: Equatable {
  case complete
  case waiting
  /// Nothing more will be taken, and what waited was thrown away.
  case ended(ChannelEnd)
}

/// The treatment of a peer that takes less than is queued for it. Nobody ever waits for such a peer.
package enum Overload {
  /// Beyond the bound of the output the channel comes to its end, `overrun`.
  case dropPeer
  /// The peer's requests wait, in the socket and here, while as much as a slice is queued for it. Only
  /// messages that the peer did not ask for can still reach the bound of the output, which ends the channel,
  /// too.
  case holdUpRequests
  /// Beyond the bound nothing more is queued until the peer has taken all that waits. `takeRefusal` then says
  /// that the peer is to be told anew.
  case refuseMore
}
