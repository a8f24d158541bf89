internal import LullSystem

/// What the program asks for in its words, and what it is told in ours.
extension PlaySession {
  /// What reading the words brought.
  enum Look: Equatable {
    /// Nothing that concerns frames on their way.
    case fine
    /// Frames that were handed to the device are not to be heard.
    case takeBack
    /// The words contradict each other.
    case lie
  }

  /// Reads the words once. `isOnItsWay`: frames of it stand in the device and are not heard. `canRewind`: they
  /// come back without a gap.
  func look(isOnItsWay: Bool, canRewind: Bool) -> Look {
    guard state != .cut else { return .fine }
    let request = ring.request()
    // A program that rewinds while it is heard may find itself behind what is heard by now.
    let end = max(request.written, moved)
    guard let wanted = request.command, end - moved <= UInt64(ring.capacity) else { return .lie }
    let (isRewound, hasGain) = (request.rewound != rewound || end < written, request.gain != gain)
    (written, rewound, bellAt, gain) = (end, request.rewound, request.bellAt, request.gain)
    hasNews = false
    let isHeard = isOnItsWay && (state == .running || state == .held)
    if isRewound, !isOnItsWay { skip(to: moved) }
    var takeBack = isHeard && (isRewound || hasGain && (canRewind || isGainFar))
    // What was written behind the flush may not have been seen yet.
    let flush = min(request.flushed, written)
    if flush > moved {
      takeBack = isHeard
      skip(to: flush)
    }
    if wanted != command {
      takeBack = obey(wanted, isHeard: isHeard) || takeBack
    } else if state == .drained, written > moved {
      // More was written after the drain: it goes on, to be drained again.
      setState(.running)
    }
    return takeBack ? .takeBack : .fine
  }

  /// The gain that is heard is another one than the program wants, by a decibel or more.
  private var isGainFar: Bool {
    let heard = source.gain.value(at: moved)
    return !(0.89 * heard...1.12 * heard).contains(gain)
  }

  /// Drops what lies before a position.
  private func skip(to position: UInt64) {
    moved = max(moved, position)
    timeline.clear()
    source.seek(moved)
  }

  private func obey(_ wanted: RingRequest.Command, isHeard: Bool) -> Bool {
    let before = command
    command = wanted
    switch wanted {
    case .stop:
      skip(to: written)
      setState(.idle)
      return isHeard
    case .pause:
      // Paused it is when what does not come back has been heard.
      return isHeard
    case .play, .drain:
      if before == .play || before == .drain, state != .drained { return false }
      (hasPlayed, starvedAt) = (false, nil)
      setState(order == .hold ? .held : .running)
      if order != .hold { envelope = Ramp(Self.target(order)) }
      return false
    }
  }

  /// Says what it does now; the program is told to look.
  func setState(_ new: RingState) {
    guard new != state || isTakenOver else { return }
    (state, isTakenOver) = (new, false)
    // The position first: it is read by who sees the state.
    ring.setTaken(max(moved, source.position))
    ring.setMoved(moved, at: movedAt)
    hasNews = ring.setState(new) > written && (new == .starved || new == .drained)
    bell.ring()
  }

  /// Gives the ring up.
  func cut(_ error: RingError) {
    ring.setError(error)
    setState(.cut)
    timeline.clear()
  }

  /// The device is at a place: what is heard of this session.
  func advance(to heard: UInt64, now: Int64) {
    movedAt = now
    guard let position = timeline.ringPosition(at: heard), position > moved else { return }
    moved = position
    // What was rewound over and did not come back from the device is heard.
    written = max(written, moved)
    hasPlayed = true
  }

  /// Writes where it is, and rings the bell when that was asked for.
  func publish() {
    ring.setTaken(max(moved, source.position))
    ring.setMoved(moved, at: movedAt)
    guard bellAt != 0, moved >= bellAt, rungFor != UInt32(truncatingIfNeeded: bellAt) else { return }
    rungFor = UInt32(truncatingIfNeeded: bellAt)
    ring.setRung(for: bellAt)
    bell.ring()
    // The program says where the next one is due when it has heard this one, and does not tell that it has.
    let step = bellAt > lastBell && lastBell > 0 ? bellAt - lastBell : UInt64(request.format.rate / 50)
    (lookAgainAt, lastBell) = (bellAt + min(step, UInt64(request.format.rate)), bellAt)
  }

  /// Nothing of it is on its way to be heard.
  func isSpent(heard: UInt64) -> Bool {
    source.isEmpty(written: written) && (timeline.deviceEnd ?? 0) <= heard
  }

  /// Changes state when it has run dry, or no longer is.
  func settle(now: Int64, heard: UInt64) {
    if command == .pause, state != .cut, !isOnItsWay(behind: heard) { setState(.paused) }
    guard isWanted, order != .hold || state == .running else { return }
    if order == .hold {
      if heard >= envelope.end || timeline.deviceEnd.map({ $0 <= heard }) ?? true { setState(.held) }
      return
    }
    guard isSpent(heard: heard) else {
      starvedAt = nil
      return setState(.running)
    }
    guard command == .play else { return setState(.drained) }
    guard state != .starved else { return }
    if hasPlayed {
      starvedCount &+= 1
      ring.setStarved(starvedCount)
    }
    (starvedAt, hasPlayed) = (now, false)
    setState(.starved)
  }
}
