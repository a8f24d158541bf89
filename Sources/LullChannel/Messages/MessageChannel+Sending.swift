package import LullSystem
package import LullWire

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

  /// Sends a text line with a descriptor that the caller keeps. Only a line that has to wait takes a
  /// duplicate with it, since the descriptor may be closed before the line is sent.
  ///
  /// Throws the error of the duplicate, or of a descriptor that cannot be sent; nothing is queued then.
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
