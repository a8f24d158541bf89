package import LullSystem

// A channel in a reactor. Its user decides the order of things, so nothing is called back.
extension MessageChannel {
  /// Arrivals unless the peer is held up or paused, and room while something waits for room or the peer is
  /// held up and not paused. Empty: only the hang-up is told.
  package var interest: Interest {
    let arrivals: Interest = isHeldUp || isPaused || inputEnd != nil ? [] : [.readable, .readHangUp]
    let needsRoom = stalledSince != nil || isHeldUp && !isPaused
    return needsRoom ? arrivals.union(.writable) : arrivals
  }

  /// Throws as `Reactor.add` does.
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
