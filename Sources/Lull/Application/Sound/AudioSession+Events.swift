internal import LullEngine
internal import LullRing
internal import LullSystem
internal import LullWire

extension AudioSession {
  var isClosed: Bool { if case .closed = connection { true } else { false } }

  /// Ends the session; frames that were not heard are lost, and no more events come. Does nothing the second
  /// time.
  public func close() {
    if case .open(let id, _) = connection { application?.link.tell(.endSession(session: id)) }
    forget()
    application?.sessions.removeAll { $0 === self }
  }

  /// Nil while the daemon is away.
  var id: SessionID? { if case .open(let id, _) = connection { id } else { nil } }

  func openFirst(_ application: Application) throws(LullError) {
    defer { application.settle() }
    do {
      try open(application)
    } catch .connectionLost {
      // The session is opened with everything else once a daemon answers again.
    }
    application.sessions.append(self)
  }

  func open(_ application: Application) throws(LullError) {
    let doorbell: AudioDoorbell
    let theirs: DescriptorBox
    do throws(SystemError) {
      (doorbell, theirs) = try AudioDoorbell.make(in: application.loop) { [weak self] in self?.look() }
    } catch {
      throw LullError(error)
    }
    do {
      _ = try application.link.ask(.ring, descriptor: ring.descriptor.raw)
      _ = try application.link.ask(.doorbell(inode: doorbell.inode), descriptor: theirs.raw)
      guard case .session(let id) = try application.link.ask(.session(request)) else { return }
      connection = .open(id, doorbell)
    } catch {
      doorbell.close()
      throw error
    }
    // The ring holds the requests that were made while the daemon was away.
    doorbell.ring()
  }

  private var request: Request.Session {
    .init(
      category: category, direction: direction, rate: format.rate, channels: format.channels,
      format: format.sample, frames: capacity, mix: options.contains(.mixWithOthers),
      duck: options.contains(.duckOthers), spoken: options.contains(.spokenContent), lowWater: lowWater,
      latency: latency.map { Interval(clampingSeconds: $0) }, device: device.name)
  }

  /// Throws `connectionLost` when the daemon is gone again.
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
    if case .open(_, let doorbell) = connection {
      doorbell.close()
      connection = .away
    }
  }

  /// Closes the doorbell, without a request to the daemon.
  func forget() {
    lose()
    connection = .closed
    asked = nil
  }
}

extension AudioSession {
  func look() {
    guard !isClosed else { return }
    let (state, starved) = (ring.state, ring.starved)
    if state == .cut { return fail(cut(ring.error)) }
    let ranDry = state == .starved && (toldState != .starved || toldStarved != starved)
    toldStarved = starved
    if state != toldState {
      toldState = state
      emit(.stateChanged(toldState))
    }
    if ranDry && direction == .play || isReached { wantFrames() }
  }

  /// The program was woken to fill a deep buffer.
  func refill() {
    if lowWater != nil { wantFrames() }
  }

  func wasCut(_ reason: CutReason) { fail(cut(reason)) }

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
    ring.setDoorbell(at: 0)
    emit(.wantsFrames)
  }

  private func fail(_ error: LullError) {
    guard let application, !isClosed else { return }
    isCut = true
    application.tickets.willHandle()
    close()
    handler(self, .failed(error))
  }

  private func cut(_ reason: CutReason?) -> LullError {
    switch reason {
    case .badPosition: .refused("the session was cut off: the positions in its ring contradict each other")
    case .noDevice: .refused("the session was cut off: no sound device can be opened (see lull doctor)")
    case .badFormat:
      .refused(
        "the session was cut off: the sound device has no \(format.channels) channels at \(format.rate) Hz")
    case .denied: .refused("the session was cut off: the user denies that the program records")
    case nil: .refused("the session was cut off")
    }
  }
}
