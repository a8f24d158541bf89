internal import LullSystem

extension AudioSession {
  /// Play: writes as many whole frames as there is room for, and never waits.
  ///
  /// - Returns: the number of frames that were taken; 0 for a session that captures, and for one that was told to stop
  ///   and has not halted yet.
  public func write(_ bytes: UnsafeRawBufferPointer) -> Int {
    guard direction == .play, !isStopping else { return 0 }
    let count = unsafe ring.write(bytes)
    guard count > 0 else { return 0 }
    if asked != nil { moveMark() }
    // lull-audio does not look at a ring that has run dry before it is told.
    if ring.state == .starved || ring.state == .drained { ringBell() }
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

  /// Asks for ``Event/wantsFrames``, once: play: when fewer frames than this are queued; capture: when so many can be
  /// read. It comes at once when that is so already. A number beyond the ring's size counts as its size.
  public func askForFrames(when queued: Int) {
    guard let application, !isClosed else { return }
    asked = max(1, min(queued, capacity))
    moveMark()
    guard isReached else { return }
    application.deferred.append { [weak self] in self?.look() }
    application.settle()
  }

  /// Plays (records) from here on.
  public func play() { command(.play) }

  /// Halts at the frame that is heard; ``play()`` goes on with the next one.
  public func pause() { command(.pause) }

  /// Another program's music took its place and has ended.
  func haltInterrupted() {
    if ring.state == .held { command(.pause) }
  }

  /// Halts at the frame that is heard, and drops what is left. The state is ``State/idle`` when it has; until then
  /// nothing can be written, unless ``play()`` comes before.
  public func stop() {
    awaitsHalt = ring.state != .idle
    ring.setCommand(.stop)
    flush()
  }

  /// lull-audio drops everything that it finds when it sees the stop, and so would drop what is written before.
  var isStopping: Bool {
    guard awaitsHalt, case .open = connection else { return false }
    return ring.state != .idle
  }

  /// Plays what is there; the state is ``State/drained`` when it has been heard.
  public func drain() { command(.drain) }

  /// Drops what was written and not heard, at the frame that is heard: a seek. What is written next follows it.
  public func flush() {
    if direction == .play { ring.setFlushed(ring.written) }
    ringBell()
  }

  private func command(_ command: RingRequest.Command) {
    awaitsHalt = false
    ring.setCommand(command)
    ringBell()
  }

  /// Puts the bell's mark where `asked` is reached.
  private func moveMark() {
    guard let asked else { return ring.setBell(at: 0) }
    let ahead = UInt64(asked)
    switch direction {
    case .play: ring.setBell(at: ring.written >= ahead ? ring.written - ahead + 1 : 0)
    case .capture: ring.setBell(at: ring.written &+ ahead)
    }
  }

  /// Whether there are as few (many) frames as was asked for.
  var isReached: Bool {
    guard let asked else { return false }
    return direction == .play ? ring.queued < asked : ring.readable >= asked
  }

  func ringBell() {
    if case .open(_, let bell) = connection { bell.ring() }
  }
}

/// The ring's size in frames.
struct BufferSize {
  static let longest = 30.0
  private static let fewest = 64
  let frames: Int
  let lowWater: Int?

  init(_ buffer: AudioSession.Buffer, rate: Int) throws(LullError) {
    switch buffer {
    case .shallow(let seconds):
      frames = try BufferSize.frames(seconds, rate)
      lowWater = nil
    case .deep(let seconds, let low):
      frames = try BufferSize.frames(seconds, rate)
      guard low > 0, low < seconds else {
        throw .refused("a low-water mark of \(low) s: more than 0 and less than \(seconds) are possible")
      }
      lowWater = max(1, Int(low * Double(rate)))
    }
  }

  private static func frames(_ seconds: Double, _ rate: Int) throws(LullError) -> Int {
    guard seconds > 0, seconds <= longest else {
      throw .refused("a buffer of \(seconds) s: more than 0 and at most 30 are possible")
    }
    return max(fewest, Int((seconds * Double(rate)).rounded()))
  }
}
