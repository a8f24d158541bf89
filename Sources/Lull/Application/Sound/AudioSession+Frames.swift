internal import LullModel
internal import LullRing

extension AudioSession {
  /// Play: writes as many whole frames as there is room for, and never waits.
  ///
  /// - Returns: the number of frames that were taken; 0 for a session that captures, and for a session that
  ///   was told to stop and has not halted yet.
  public func write(_ bytes: UnsafeRawBufferPointer) -> Int {
    guard direction == .play, !isStopping else { return 0 }
    let count = unsafe ring.write(bytes)
    guard count > 0 else { return 0 }
    if asked != nil { moveMark() }
    // lull-audio does not look at a ring that has run dry until the doorbell rings.
    if ring.state == .starved || ring.state == .drained { ringDoorbell() }
    return count
  }

  /// Capture: reads as many whole frames as are there and have room, and never waits.
  ///
  /// - Returns: the number of frames that were read; 0 for a session that plays.
  public func read(into bytes: UnsafeMutableRawBufferPointer) -> Int {
    guard direction == .capture else { return 0 }
    let count = unsafe ring.read(into: bytes)
    if count > 0, asked != nil { moveMark() }
    return count
  }

  /// Asks for ``Event/wantsFrames``, once. Play: when fewer than `queued` frames are queued; capture: when
  /// `queued` frames can be read. The event comes at once when that is so already. A number beyond the ring's
  /// size counts as its size.
  public func askForFrames(when queued: Int) {
    guard let application, !isClosed else { return }
    asked = max(1, min(queued, capacity))
    moveMark()
    guard isReached else { return }
    application.deferred.append { [weak self] in self?.look() }
    application.settle()
  }

  /// Plays (records) from here on.
  public func play() { setTransport(.play) }

  /// Halts at the frame that is heard; ``play()`` goes on with the next one.
  public func pause() { setTransport(.pause) }

  /// Pauses a session that is still held: the interruption has ended without `shouldResume`.
  func haltInterrupted() {
    if ring.state == .held { setTransport(.pause) }
  }

  /// Halts at the frame that is heard, and drops the frames that are left. The state is then `idle`;
  /// until then nothing can be written, unless ``play()`` comes before.
  public func stop() {
    awaitsHalt = ring.state != .idle
    ring.setTransport(.stop)
    flush()
  }

  /// lull-audio has not seen the stop yet: it drops everything that it then finds, also frames that were
  /// written later.
  var isStopping: Bool {
    guard awaitsHalt, case .open = connection else { return false }
    return ring.state != .idle
  }

  /// Plays the frames that are left; the state is `drained` when they have been heard.
  public func drain() { setTransport(.drain) }

  /// Drops the frames that were not heard, as for a seek. The next frames follow the frame that is heard.
  public func flush() {
    if direction == .play { ring.setFlushed(ring.written) }
    ringDoorbell()
  }

  private func setTransport(_ transport: RingRequest.Transport) {
    awaitsHalt = false
    ring.setTransport(transport)
    ringDoorbell()
  }

  private func moveMark() {
    guard let asked else { return ring.setDoorbell(at: 0) }
    let ahead = UInt64(asked)
    switch direction {
    case .play: ring.setDoorbell(at: ring.written >= ahead ? ring.written - ahead + 1 : 0)
    case .capture: ring.setDoorbell(at: ring.written &+ ahead)
    }
  }

  /// There are as few (capture: as many) frames as was asked for.
  var isReached: Bool {
    guard let asked else { return false }
    return direction == .play ? ring.queued < asked : ring.readable >= asked
  }

  func ringDoorbell() {
    if case .open(_, let doorbell) = connection { doorbell.ring() }
  }
}
