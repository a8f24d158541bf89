internal import LullEngine
internal import LullSystem

// Opening and closing.
extension AudioSession {
  var isClosed: Bool { if case .closed = connection { true } else { false } }

  /// Ends the session; what was not heard is lost. No event comes any more. Does nothing the second time.
  public func close() {
    if case .open(let id, _) = connection { application?.link.tell(.endSession(id)) }
    forget()
    application?.sessions.removeAll { $0 === self }
  }

  /// The daemon's number; nil while it is away.
  var id: SessionID? { if case .open(let id, _) = connection { id } else { nil } }

  func openFirst(_ application: Application) throws(LullError) {
    defer { application.settle() }
    do {
      try open(application)
    } catch .connectionLost {
      // It is opened with everything else when a daemon is there again.
    }
    application.sessions.append(self)
  }

  /// Opens it with the daemon: the ring, one end of a new bell, and what it is.
  func open(_ application: Application) throws(LullError) {
    let bell: AudioBell
    let theirs: DescriptorBox
    do throws(SystemError) {
      (bell, theirs) = try AudioBell.make(in: application.reactor) { [weak self] in self?.look() }
    } catch {
      throw LullError(error)
    }
    let opening = SessionOpening(
      ring: ring.descriptor.raw, bell: theirs.raw, inode: bell.inode, category: category, options: options,
      direction: direction, format: format, frames: capacity, lowWater: lowWater,
      latency: latency.map { Interval(clampingSeconds: $0) }, device: device)
    do {
      connection = .open(try application.link.open(opening), bell)
    } catch {
      bell.close()
      throw error
    }
    // What was asked for while the daemon was away.
    bell.ring()
  }

  /// A daemon is there again. Throws `connectionLost` when it is gone again.
  func openAgain(_ application: Application) throws(LullError) {
    guard !isClosed else { return }
    lose()
    do {
      try open(application)
    } catch {
      if error == .connectionLost { throw error }
      fail(error)
    }
  }

  /// The daemon is gone, and lull-audio with it.
  func lose() {
    if case .open(_, let bell) = connection {
      bell.close()
      connection = .away
    }
  }

  /// Lets go of the bell, without a word to the daemon.
  func forget() {
    lose()
    connection = .closed
    asked = nil
  }
}

// Events.
extension AudioSession {
  /// Tells the handler what changed in the ring.
  func look() {
    guard !isClosed else { return }
    let (state, starved) = (ring.state, ring.starved)
    if state == .cut { return fail(cut(ring.error)) }
    let ranDry = state == .starved && (toldState != .starved || toldStarved != starved)
    toldStarved = starved
    if State(state) != toldState {
      toldState = State(state)
      emit(.stateChanged(toldState))
    }
    if ranDry && direction == .play || isReached { wantFrames() }
  }

  /// The program was woken to fill a deep buffer.
  func refill() {
    if lowWater != nil { wantFrames() }
  }

  /// The daemon's notice that it was given up.
  func wasCut(_ error: RingError) {
    fail(cut(error))
  }

  /// The sound goes elsewhere, or comes from elsewhere.
  func routeChanged(_ change: AudioRouteChange) {
    lastRouteChange = change
    emit(.routeChanged(device: change.device))
  }

  func emit(_ event: Event) {
    guard let application, !isClosed else { return }
    application.tickets.willHandle()
    handler(self, event)
  }

  private func wantFrames() {
    asked = nil
    ring.setBell(at: 0)
    emit(.wantsFrames)
  }

  private func fail(_ error: LullError) {
    guard let application, !isClosed else { return }
    isCut = true
    application.tickets.willHandle()
    close()
    handler(self, .failed(error))
  }

  private func cut(_ error: RingError) -> LullError {
    switch error {
    case .badPosition: .refused("the session was cut off: the positions in its ring contradict each other")
    case .noDevice: .refused("the session was cut off: no sound device can be opened (see lull doctor)")
    case .badFormat:
      .refused(
        "the session was cut off: the sound device has no \(format.channels) channels at \(format.rate) Hz")
    case .none: .refused("the session was cut off")
    }
  }
}
