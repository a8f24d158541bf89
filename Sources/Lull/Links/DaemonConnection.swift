internal import LullChannel
internal import LullSystem
internal import LullWire

/// A connection to the daemon: it sends requests, and matches replies to them in their order.
final class DaemonConnection {
  enum ReplyUse {
    case ignored
    /// For `exchange`.
    case awaited
    case done(Ticket)
    case registration
  }

  enum Arrival {
    case notice(LinkNotice)
    case reply(Reply, ReplyUse)
    /// The daemon is gone, or the other end is no daemon, or the stream is out of step.
    case broken
  }

  private let channel: MessageChannel
  private let loop: EventLoop
  private var buffer = ReceiveBuffer(capacity: Limits.maximumLine)
  private var expected: [ReplyUse] = []
  private var hasReadAll = false
  /// They came before the reply that was awaited last.
  private var items: [Message] = []
  /// They came while a reply was awaited.
  private var waiting: [Arrival] = []

  /// In /run/lull, a daemon of root is trusted beside the user's. `onReady` is called when there is something
  /// to receive, or room; see `handle`.
  init(
    path: String, user: UInt32, loop: EventLoop, onReady: @escaping EventLoop.Handler
  ) throws(ControlSocketError) {
    let socket = try DescriptorBox(ControlSocket.connect(path: path, user: user))
    channel = MessageChannel(socket, overload: .dropPeer)
    self.loop = loop
    do throws(SystemError) {
      try channel.watch(in: loop.reactor, as: .supervisor(onReady))
    } catch {
      throw .system(error)
    }
  }

  /// From this moment on the daemon has taken nothing of what waits for it; nil while it takes.
  var stalledSince: Moment? { channel.stalledSince.map { Moment(nanoseconds: $0) } }

  func close() {
    channel.unwatch(in: loop.reactor)
    channel.close()
  }

  /// Throws `refused` for a request that cannot be sent, and `connectionLost` when the daemon is gone.
  func send(_ request: Request, descriptor raw: Int32?, use: ReplyUse) throws(LullError) {
    let text: [UInt8]
    do throws(WireError) {
      text = try request.message().encoded()
    } catch {
      throw .refused(error.message)
    }
    let delivery: Delivery
    if let raw {
      delivery = try send(text, borrowing: raw)
    } else {
      channel.queue(line: text)
      delivery = channel.flush()
    }
    expected.append(use)
    if case .ended = delivery { throw .connectionLost }
    updateInterest()
  }

  private func send(_ text: [UInt8], borrowing raw: Int32) throws(LullError) -> Delivery {
    do throws(SystemError) {
      return try channel.send(line: text, borrowing: raw)
    } catch {
      throw LullError(error)
    }
  }

  /// Waits for the reply. What comes before it is left for `next`.
  ///
  /// Throws as `send` does, and `timedOut` when there is no reply by the moment.
  func exchange(
    _ request: Request, descriptor: Int32?, until moment: Moment
  ) throws(LullError) -> Reply {
    items = []
    try send(request, descriptor: descriptor, use: .awaited)
    while true {
      while let arrival = received() {
        if case .reply(let reply, .awaited) = arrival { return reply }
        waiting.append(arrival)
        if case .broken = arrival { throw .connectionLost }
      }
      guard (try? channel.wait(until: moment.nanoseconds)) != false else {
        throw .timedOut(request.verb.rawValue)
      }
    }
  }

  func takeItems() -> [Message] {
    defer { items = [] }
    return items
  }

  /// Sends what waited for room.
  func handle(_ readiness: LullSystem.Readiness) { channel.handle(readiness) }

  func updateInterest() {
    // This cannot fail for a descriptor that is watched already.
    try? channel.updateInterest(in: loop.reactor)
  }

  func next() -> Arrival? { waiting.isEmpty ? received() : waiting.removeFirst() }

  private func received() -> Arrival? {
    while true {
      while let incoming = channel.next() {
        if let arrival = arrival(incoming) { return arrival }
      }
      // Bytes that came since make the loop's descriptor readable again.
      if hasReadAll {
        hasReadAll = false
        return nil
      }
      switch channel.receive(into: &buffer) {
      case .bytes(let isAll): hasReadAll = isAll
      case .nothing: return nil
      case .ended: return .broken
      }
    }
  }

  private func arrival(_ incoming: Incoming) -> Arrival? {
    guard case .message(let message, let descriptor) = incoming else { return .broken }
    switch message.answer {
    // A notice that this version does not know, or cannot read, is passed over.
    case .event: return notice(message, descriptor).map { .notice(.told($0)) }
    case .ok, .error:
      guard !expected.isEmpty, let reply = try? Reply(message) else { return .broken }
      return .reply(reply, expected.removeFirst())
    case .item:
      // Only an answer that somebody waits for has any.
      if items.count < 2 * Bounds.scheduledNotifications { items.append(message) }
      return nil
    case nil: return .broken
    }
  }

  /// The payload of a push comes beside its text line.
  private func notice(_ message: Message, _ descriptor: DescriptorBox?) -> ProgramNotice? {
    guard let notice = try? ProgramNotice(message) else { return nil }
    guard case .push(let ticket, var push) = notice, let descriptor else { return notice }
    push.payload = (try? Files.readMemoryFile(descriptor.raw, limit: Limits.maximumPayload)) ?? []
    return .push(ticket, push)
  }
}
