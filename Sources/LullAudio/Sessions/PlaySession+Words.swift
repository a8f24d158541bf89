internal import LullRing

/// The program's fields of the ring, and the fields that lull-audio writes.
extension PlaySession {
  enum Look: Equatable {
    case fine
    /// Frames that were handed to the device are not to play.
    case takeBack
    /// The fields contradict each other.
    case lie
  }

  /// Reads the fields once. `isOnItsWay`: frames of the session stand unplayed in the device. `canRewind`:
  /// they come back without a gap.
  func look(isOnItsWay: Bool, canRewind: Bool) -> Look {
    guard state != .cut else { return .fine }
    let request = ring.request()
    // A program that rewinds while it plays may find itself behind the frame that plays by now.
    let end = max(request.written, moved)
    guard let wanted = request.transport, end - moved <= UInt64(ring.capacity) else { return .lie }
    let (isRewound, hasGain) = (request.rewound != rewound || end < written, request.gain != gain)
    (written, rewound, doorbellAt, gain) = (end, request.rewound, request.doorbellAt, request.gain)
    hasNews = false
    let isHeard = isOnItsWay && (state == .running || state == .held)
    if isRewound, !isOnItsWay { skip(to: moved) }
    var takeBack = isHeard && (isRewound || hasGain && (canRewind || isGainFar))
    // Frames that were written behind the flush may not have been seen yet.
    let flush = min(request.flushed, written)
    if flush > moved {
      takeBack = isHeard
      skip(to: flush)
    }
    if wanted != transport {
      takeBack = obey(wanted, isHeard: isHeard) || takeBack
    } else if state == .drained, written > moved {
      // More was written after the drain: the session goes on, to be drained again.
      setState(.running)
    }
    return takeBack ? .takeBack : .fine
  }

  /// Whether the gain that plays differs from the program's by a decibel or more.
  private var isGainFar: Bool {
    let current = source.gain.value(at: moved)
    return !(0.89 * current...1.12 * current).contains(gain)
  }

  private func skip(to position: UInt64) {
    moved = max(moved, position)
    timeline.clear()
    source.seek(moved)
  }

  private func obey(_ wanted: RingRequest.Transport, isHeard: Bool) -> Bool {
    let before = transport
    transport = wanted
    switch wanted {
    case .stop:
      skip(to: written)
      setState(.idle)
      return isHeard
    case .pause:
      // The session is paused once the frames that do not come back have played.
      return isHeard
    case .play, .drain:
      if before == .play || before == .drain, state != .drained { return false }
      (hasPlayed, starvedAt) = (false, nil)
      setState(order == .hold ? .held : .running)
      if order != .hold { envelope = Ramp(Self.target(order)) }
      return false
    }
  }

  func setState(_ new: SessionState) {
    guard enter(new) else { return }
    // The position is written first: a program that sees the new state goes on to read it.
    ring.setTaken(max(moved, source.position))
    ring.setMoved(moved, at: movedAt)
    hasNews = ring.setState(new) > written && (new == .starved || new == .drained)
    doorbell.ring()
  }

  func cut(_ reason: CutReason) {
    ring.setError(reason)
    setState(.cut)
    timeline.clear()
  }

  func advance(to played: UInt64, now: Int64) {
    movedAt = now
    guard let position = timeline.ringPosition(at: played), position > moved else { return }
    moved = position
    // Frames that were rewound over and did not come back from the device are played.
    written = max(written, moved)
    hasPlayed = true
  }

  func publish() {
    ring.setTaken(max(moved, source.position))
    ring.setMoved(moved, at: movedAt)
    guard ringIfDue() else { return }
    // After a ring the program writes the next doorbell position, but does not ring to tell so.
    let step =
      doorbellAt > lastDoorbell && lastDoorbell > 0
      ? doorbellAt - lastDoorbell : UInt64(request.format.rate / 50)
    (observeAgainAt, lastDoorbell) = (doorbellAt + min(step, UInt64(request.format.rate)), doorbellAt)
  }

  func isSpent(played: UInt64) -> Bool {
    source.isEmpty(written: written) && (timeline.deviceEnd ?? 0) <= played
  }

  func settle(now: Int64, played: UInt64) {
    if transport == .pause, state != .cut, !isOnItsWay(behind: played) { setState(.paused) }
    guard isWanted, order != .hold || state == .running else { return }
    if order == .hold {
      if played >= envelope.end || timeline.deviceEnd.map({ $0 <= played }) ?? true { setState(.held) }
      return
    }
    guard isSpent(played: played) else {
      starvedAt = nil
      return setState(.running)
    }
    guard transport == .play else { return setState(.drained) }
    guard state != .starved else { return }
    if hasPlayed { noteLoss() }
    (starvedAt, hasPlayed) = (now, false)
    setState(.starved)
  }
}
