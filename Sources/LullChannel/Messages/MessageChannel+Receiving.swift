package import LullSystem

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

  // MARK: Holding up

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

  // MARK: Pausing

  /// Stops reading, and `next`, until `proceed`: the reply to the last request comes later, and replies keep
  /// the order of their requests. Unlike a peer that is held up, it can do nothing about it.
  package func pause() { isPaused = true }

  package func proceed() { isPaused = false }
}
