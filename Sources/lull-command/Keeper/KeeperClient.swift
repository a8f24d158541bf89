import LullChannel
import LullSystem
import LullWire

/// One who has joined a detached program, or waits for its end.
final class KeeperClient {
  /// The output that waits for a slow reader; a slower one is dropped, because the program does not wait.
  private static let maximum = 1 << 18

  let channel: MessageChannel
  /// The stream of output and input; nil before `attach`.
  private(set) var stream: DescriptorBox?
  private var registration: Slot?
  private var watched: Interest = []
  private var waiting: ArraySlice<UInt8> = []
  private var isToldEnd = false
  var hasTyped = false
  /// What was sent before is still handed on.
  private(set) var hasLeft = false

  init(_ socket: consuming Descriptor) {
    channel = MessageChannel(DescriptorBox(socket), overload: .dropPeer, maximumOutput: 1 << 16)
  }

  /// The sockets that need room for what waits. One for which nothing waits always has room: to wait for
  /// that would be no wait.
  var stalled: [PollEntry] {
    let sockets = [channel.isDone ? nil : channel.socket, waiting.isEmpty ? nil : stream]
    return sockets.compactMap { $0.map { PollEntry($0.raw, .writable) } }
  }

  /// True when all is sent, or nobody is there to take it.
  func finish(_ status: ExitStatus) -> Bool {
    guard flush(), !hasLeft else { return true }
    if waiting.isEmpty, !isToldEnd {
      channel.tell(KeeperMessage.ended(status).message())
      isToldEnd = true
    }
    channel.flush()
    return channel.outputEnd != nil || isToldEnd && channel.isDone
  }

  /// Gives the end for the client.
  func join(_ reactor: Reactor<Keeper.Source>) throws(SystemError) -> DescriptorBox {
    let (here, there) = try UnixSocket.pair()
    registration = try reactor.add(here.raw, [], as: .stream(self))
    stream = here
    return there
  }

  /// False when the client takes too little, or is gone.
  func send(_ bytes: ArraySlice<UInt8>) -> Bool {
    guard stream != nil, !hasLeft else { return true }
    waiting += bytes
    return flush() && waiting.count <= Self.maximum
  }

  /// Nothing is sent to one who has left; false when it fails.
  func flush() -> Bool {
    guard let stream else { return true }
    while !waiting.isEmpty {
      guard let outcome = try? Socket.write(stream.raw, Array(waiting)) else { return false }
      switch outcome {
      case .sent(let count): waiting = waiting.dropFirst(count)
      case .wouldBlock: return true
      case .closed:
        hasLeft = true
        waiting = []
      }
    }
    waiting = []
    return true
  }

  func leave(_ reactor: Reactor<Keeper.Source>) {
    hasLeft = true
    waiting = []
    channel.unwatch(in: reactor)
    channel.close()
  }

  func update(_ reactor: Reactor<Keeper.Source>, takesInput: Bool) {
    guard !hasLeft else { return updateLeft(reactor, takesInput: takesInput) }
    try? channel.updateInterest(in: reactor)
    var interest: Interest = takesInput ? .readable : []
    if !waiting.isEmpty { interest.formUnion(.writable) }
    guard let registration, interest != watched else { return }
    watched = interest
    try? reactor.modify(registration, interest)
  }

  /// A closed end is ready all the time: it is watched only while its input can be taken.
  private func updateLeft(_ reactor: Reactor<Keeper.Source>, takesInput: Bool) {
    if !takesInput {
      if let registration { reactor.remove(registration) }
      registration = nil
    } else if registration == nil, let stream {
      registration = try? reactor.add(stream.raw, .readable, as: .stream(self))
      watched = .readable
    } else if let registration, watched != .readable {
      watched = .readable
      try? reactor.modify(registration, .readable)
    }
  }

  func close(_ reactor: Reactor<Keeper.Source>) {
    channel.unwatch(in: reactor)
    channel.close()
    if let registration { reactor.remove(registration) }
    registration = nil
    stream?.close()
  }
}
