package import LullSystem
package import LullWire

/// One end of a Unix socket that carries text lines of LullWire, each with at most one descriptor. A channel
/// never blocks. What waits in either direction is bounded: on the way in by one text line and one read, on
/// the way out by `maximumOutput`, with `Overload` for a peer that takes less.
package final class MessageChannel {
  static var oneDescriptor: String { "one descriptor travels with a line, not several" }

  package let socket: DescriptorBox
  private let overload: Overload
  private let maximumOutput: Int
  private let maximumLine: Int
  private let closer: Closer?
  private let total: OutputTotal
  private var input: IncomingLines
  private var output: OutgoingLines
  package private(set) var inputEnd: ChannelEnd?
  package private(set) var outputEnd: ChannelEnd?
  /// The peer's requests wait: see `holdUp`.
  package private(set) var isHeldUp = false
  /// The peer's next requests wait for this side: see `pause`.
  package private(set) var isPaused = false
  /// The moment since which the socket has had no room (CLOCK_BOOTTIME in nanoseconds).
  package private(set) var stalledSince: Int64?
  private var hasRefused = false
  /// `tellAnew` is at work; the bound does not count the bytes that it has queued.
  private var isTellingAnew = false, exemptOutput = 0
  private var registration: Slot?
  private var watched: Interest = []

  /// `maximumOutput` and `maximumLine` are in bytes, a line with its LF. `closer` closes the descriptors that
  /// come; nil: here and now. `total` counts the bytes that wait in this and other channels.
  package init(
    _ socket: DescriptorBox, overload: Overload, maximumOutput: Int = 1 << 20,
    maximumLine: Int = Limits.maximumLine, closer: Closer? = nil, total: OutputTotal = OutputTotal()
  ) {
    (self.socket, self.overload, self.maximumOutput) = (socket, overload, maximumOutput)
    (self.maximumLine, self.closer, self.total) = (maximumLine, closer, total)
    input = IncomingLines(maximumLine: maximumLine)
    output = OutgoingLines(countedIn: total)
  }

  deinit { output.removeAll() }

  /// The socket must be out of the reactor before.
  package func close() {
    end(.finished)
    socket.close()
  }

  /// Reads nothing more. What is queued is still sent; the channel is to be closed when `isDone`.
  package func finish() { inputEnd = inputEnd ?? .finished }

  package var isDone: Bool { output.isEmpty }
  package var queuedBytes: Int { output.count }

  /// The descriptors that this end holds open besides the socket: those that came and wait for their text
  /// line, and those that wait to be sent.
  package var descriptorCount: Int { input.descriptorCount + output.descriptorCount }

  private func end(_ end: ChannelEnd) {
    inputEnd = inputEnd ?? end
    input.removeAll()
    endOutput(end)
  }

  private func endOutput(_ end: ChannelEnd) {
    outputEnd = outputEnd ?? end
    output.removeAll()
    stalledSince = nil
  }
}

// A channel in a reactor. Its user decides the order of things, so nothing is called back.
extension MessageChannel {
  /// Arrivals unless the peer is held up or paused, and room while something waits for room or the peer is
  /// held up and not paused. Empty: only the hang-up is told.
  package var interest: Interest {
    let arrivals: Interest = isHeldUp || isPaused || inputEnd != nil ? [] : [.readable, .readHangUp]
    let needsRoom = stalledSince != nil || isHeldUp && !isPaused
    return needsRoom ? arrivals.union(.writable) : arrivals
  }

  package func watch<Source>(in reactor: Reactor<Source>, as source: Source) throws(SystemError) {
    watched = interest
    registration = try reactor.add(socket.raw, watched, as: source)
  }

  /// Takes the socket out, before it is closed or while none of its events matters: its hang-up would be told
  /// again and again.
  package func unwatch<Source>(in reactor: Reactor<Source>) {
    guard let registration else { return }
    reactor.remove(registration)
    self.registration = nil
  }

  package var isWatched: Bool { registration != nil }

  /// The socket is watched for room. A flush before its event would cost a call for nothing.
  package var awaitsRoom: Bool { isWatched && watched.contains(.writable) }

  /// Costs a system call where the interest has changed.
  package func updateInterest<Source>(in reactor: Reactor<Source>) throws(SystemError) {
    guard let registration, watched != interest else { return }
    watched = interest
    try reactor.modify(registration, watched)
  }

  /// Sends what waits when the socket has room for it, or nobody reads it any more.
  package func handle(_ readiness: Readiness) {
    guard !readiness.isDisjoint(with: [.writable, .hangUp, .error]) else { return }
    flush()
  }
}

// MARK: Receiving

extension MessageChannel {
  /// Reads once, without waiting. The text lines of the last read are to be taken with `next` before.
  package func receive(into buffer: inout ReceiveBuffer) -> Arrival {
    if let inputEnd { return .ended(inputEnd) }
    guard !isHeldUp, !isPaused else { return .nothing }
    guard input.descriptorCount <= 1 else { return ended(.tooManyDescriptors) }
    let room = min(input.room, buffer.capacity)
    do throws(SystemError) {
      switch try UnixSocket.receive(into: &buffer, atMost: room, from: socket.raw) {
      case .bytes(let count, let descriptor):
        descriptor?.closer = closer
        input.append(buffer.received, descriptor)
        // A read ends with a descriptor, whatever stands behind it.
        return .bytes(isAll: count < room && descriptor == nil)
      case .wouldBlock: return .nothing
      case .descriptorLost: return ended(.descriptorLost)
      case .endOfStream: return ended(.hungUp)
      }
    } catch {
      return ended(.failed(error))
    }
  }

  private func ended(_ end: ChannelEnd) -> Arrival {
    inputEnd = end
    return .ended(end)
  }

  /// Nil when nothing has come, or the peer is held up or paused.
  package func next() -> Incoming? {
    if case .holdUpRequests = overload, isBusy { isHeldUp = true }
    guard !isHeldUp, !isPaused else { return nil }
    switch inputEnd {
    case nil, .hungUp, .failed: break
    case .descriptorLost, .tooManyDescriptors, .tooLong, .overrun, .finished: return nil
    }
    let incoming = input.next()
    if case .ended(let end) = incoming { inputEnd = end }
    return incoming
  }

  /// Throws away the bytes that have come, with at most so many reads. A socket that is closed with bytes
  /// unread tells its peer of a broken connection, behind the last answer.
  package func discard(into buffer: inout ReceiveBuffer, reads: Int) {
    for _ in 0..<reads {
      guard case .bytes(_, let descriptor) = try? UnixSocket.receive(into: &buffer, from: socket.raw) else {
        return
      }
      descriptor?.closer = closer
    }
  }

  /// A slice of an answer, or more, waits for the peer.
  package var isBusy: Bool { output.count >= total.slice }

  /// Stops reading, and `next`, until `resume`: the rest of an answer is still to be queued.
  package func holdUp() { isHeldUp = true }

  /// Lets a peer go on that was held up; false while it has not taken enough. The user calls this when the
  /// peer's socket has room, for which it is watched: others have their turn in between.
  package func resume() -> Bool {
    guard !isBusy else { return false }
    isHeldUp = false
    return true
  }

  /// Stops reading, and `next`, until `proceed`: the reply to the last request comes later, and replies keep
  /// the order of their requests. Unlike a peer that is held up, it can do nothing about it.
  package func pause() { isPaused = true }

  package func proceed() { isPaused = false }
}

// MARK: Sending

extension MessageChannel {
  /// The message is shortened to the limit of a text line if need be. False when the channel has come to its
  /// end, or refuses the message.
  @discardableResult
  package func queue(_ message: Message, descriptor: DescriptorBox? = nil) -> Bool {
    queue { $0.append(message, maximumLine: maximumLine, descriptor) }
  }

  /// `line` has its LF. False when the channel has come to its end, or refuses the line.
  @discardableResult
  package func queue(line: [UInt8], descriptor: DescriptorBox? = nil) -> Bool {
    queue { $0.append(line: line, descriptor) }
  }

  private func queue(_ append: (inout OutgoingLines) -> Void) -> Bool {
    guard outputEnd == nil, !hasRefused else { return false }
    let before = output.count
    append(&output)
    guard !isTellingAnew, output.count - exemptOutput > maximumOutput else { return true }
    switch overload {
    case .dropPeer, .holdUpRequests: overrun()
    case .refuseMore:
      output.removeLast(downTo: before)
      hasRefused = true
    }
    return false
  }

  @discardableResult
  package func tell(_ message: Message, descriptor: DescriptorBox? = nil) -> Bool {
    let isQueued = queue(message, descriptor: descriptor)
    // Without room each message would cost a call for nothing.
    if stalledSince == nil { flush() }
    return isQueued
  }

  /// Sends a text line with a descriptor that stays the caller's. Only a line that has to wait takes a
  /// duplicate with it, since the descriptor may be closed before the line is sent. Throws the error of the
  /// duplicate, or of a descriptor that cannot be sent; nothing is queued then.
  package func send(line: [UInt8], borrowing raw: Int32) throws(SystemError) -> Delivery {
    if let outputEnd { return .ended(outputEnd) }
    guard output.isEmpty else { return try sendLater(line, raw) }
    switch try UnixSocket.send(line, descriptor: raw, to: socket.raw) {
    case .sent(let count):
      // The descriptor goes with the first byte.
      if count < line.count { queue(line: Array(line[count...])) }
      return flush()
    case .wouldBlock: return try sendLater(line, raw)
    case .closed:
      endOutput(.hungUp)
      return .ended(.hungUp)
    }
  }

  private func sendLater(_ line: [UInt8], _ raw: Int32) throws(SystemError) -> Delivery {
    queue(line: line, descriptor: DescriptorBox(try .duplicating(raw)))
    return flush()
  }

  @discardableResult
  package func flush() -> Delivery {
    if let outputEnd { return .ended(outputEnd) }
    while !output.isEmpty {
      do throws(SystemError) {
        switch try output.sendNext(to: socket.raw) {
        case .sent: stalledSince = nil
        case .wouldBlock:
          stalledSince = stalledSince ?? Clock.boottime()
          return .waiting
        case .closed:
          endOutput(.hungUp)
          return .ended(.hungUp)
        }
      } catch {
        return unsendable(error)
      }
    }
    (stalledSince, exemptOutput) = (nil, 0)
    return .complete
  }

  /// Notes a message that cannot be sent, most likely because too many descriptors are on their way to the
  /// peer. The socket has room, so watching for room would spin: the next `flush` tries again (`needsRetry`).
  private func unsendable(_ error: SystemError) -> Delivery {
    if case .refuseMore = overload {
      stalledSince = nil
      return .waiting
    }
    end(.failed(error))
    return .ended(.failed(error))
  }

  /// Something waits that the socket has room for: it has to be sent again after a while.
  package var needsRetry: Bool { !output.isEmpty && stalledSince == nil && outputEnd == nil }

  /// The peer takes too little, or the output of many channels together is too much.
  package func overrun() { end(.overrun) }

  /// Tells the peer everything anew, which is bounded by what there is and by nothing else: with a bound,
  /// what does not fit would be refused and told anew for ever. What is queued later has the whole bound to
  /// itself.
  package func tellAnew(_ tell: () -> Void) {
    isTellingAnew = true
    tell()
    (isTellingAnew, exemptOutput) = (false, output.count)
  }

  /// True once, when the peer has taken all that was queued before something was refused.
  package func takeRefusal() -> Bool {
    guard hasRefused, output.isEmpty else { return false }
    hasRefused = false
    return outputEnd == nil
  }
}

// Waiting, for a program whose only work at the moment is the answer of its peer.
extension MessageChannel {
  /// The next text line, waited for until a moment of CLOCK_BOOTTIME in nanoseconds (nil: for ever); nil when
  /// the time has run out. Queued output is sent meanwhile. The last read comes after the time has run out: a
  /// program that was frozen while it waited finds its answer then.
  package func next(until deadline: Int64?, into buffer: inout ReceiveBuffer) throws(SystemError) -> Incoming?
  {
    while true {
      if let incoming = next() { return incoming }
      switch receive(into: &buffer) {
      case .bytes: continue
      case .ended(let end): return .ended(end)
      case .nothing: guard try wait(until: deadline) else { return nil }
      }
    }
  }

  /// Waits until something has come, or until there is room for what waits, which is then sent; false when
  /// the time has run out.
  package func wait(until deadline: Int64?) throws(SystemError) -> Bool {
    let readiness = try Socket.poll(
      socket.raw, stalledSince == nil ? .readable : [.readable, .writable],
      timeoutMilliseconds: Self.milliseconds(until: deadline))
    handle(readiness)
    return !readiness.isEmpty
  }

  private static func milliseconds(until deadline: Int64?) -> Int32 {
    guard let deadline else { return -1 }
    return Int32(clamping: max(0, (deadline - Clock.boottime() + 999_999) / 1_000_000))
  }
}
