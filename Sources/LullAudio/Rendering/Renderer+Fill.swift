internal import LullRing

/// Frames into the device, and back.
extension Renderer {
  /// With fewer frames queued than this, sessions that lack frames are left out.
  private var critical: Int { output.rate / 100 }

  /// The frames that are to be queued.
  private var target: Int {
    guard let format = output.sink?.format else { return 0 }
    var target = format.buffer
    for session in sessions where session.isRendering {
      target = min(target, Int(session.request.latency * Double(format.rate)))
    }
    return target
  }

  func fill(now: Int64) {
    guard let format = output.sink?.format else { return }
    let target = target
    // A small write costs as many wake-ups of a sound server as a large one.
    guard !output.isRunning || target - output.level >= target / 4 else { return }
    guard sessions.contains(where: { $0.isRendering && !$0.source.isEmpty(written: $0.written) }) else {
      return
    }
    let wasRunning = output.isRunning
    let room = min(target - output.level, output.room(now: now), format.buffer)
    // The frames are mixed in parts but written at once: each write wakes a sound server.
    var mixed = 0
    while mixed < room {
      let frames = ready(min(room - mixed, RingFrames.chunk), behind: mixed)
      guard frames > 0 else { break }
      render(frames, channels: format.channels, behind: mixed)
      mixed += frames
    }
    hand(mixed * format.channels, frames: mixed, now: now)
    output.begin(now: now)
    guard !output.isRunning, wasRunning || mixed > 0 else { return }
    // The device failed between two calls: the frames that it has not played are rendered again.
    advance(now: now)
    cutBack()
  }

  /// Nothing follows the frames that the device has.
  var isEnding: Bool {
    !sessions.contains {
      $0.isRendering && !($0.transport == .drain && $0.source.isEmpty(written: $0.written))
    }
  }

  func finish(now: Int64) {
    guard output.isRunning, output.queued > 0, isEnding else { return }
    output.finish(now: now)
    guard !output.isRunning else { return }
    advance(now: now)
    cutBack()
  }

  private func hand(_ samples: Int, frames: Int, now: Int64) {
    guard frames > 0 else { return }
    unsafe output.write(UnsafeBufferPointer(mix.first(samples)), now: now)
    cutBack()
  }

  /// The frames that can be mixed now. A session that has none is waited for as long as that is safe, unless
  /// the session is known to have run dry.
  private func ready(_ frames: Int, behind mixed: Int) -> Int {
    let isCritical = output.level + mixed < critical
    let place = output.written + UInt64(mixed)
    var (least, isLacking) = (frames, false)
    var isAny = false
    for session in sessions where session.isRendering {
      let count = session.prepare(frames, at: place, finishing: isCritical && output.isRunning)
      if count > 0 {
        least = min(least, count)
        isAny = true
      } else if session.state == .running, session.transport == .play, session.order != .hold {
        isLacking = isLacking || session.isOnItsWay(behind: output.played)
      }
    }
    return isAny && (!isLacking || isCritical) ? least : 0
  }

  private func render(_ frames: Int, channels: Int, behind mixed: Int) {
    let target = unsafe mix.base + mixed * channels
    unsafe target.update(repeating: 0, count: frames * channels)
    let place = output.written + UInt64(mixed)
    for session in sessions where session.isRendering {
      let count = session.prepare(frames, at: place, finishing: false)
      if count > 0 { unsafe session.render(min(count, frames), at: place, into: target) }
    }
  }

  // MARK: Back

  /// The nanoseconds until a session can make the device give frames back once more.
  private static let takeBackPause: Int64 = 10_000_000

  /// Takes unplayed frames back from the device, as far as possible, and renders them again. `isShared`:
  /// other programs than the one that asks play there.
  func takeBack(isShared: Bool) {
    output.takeBack(isShared: isShared)
    cutBack()
    advance(now: output.measuredAt)
  }

  /// Renders again the frames behind the end of the written ones.
  func cutBack() {
    for session in sessions {
      session.pullFade(to: output.written)
      if session.isOnItsWay(behind: output.written) { session.takeBack(to: output.written) }
    }
    for ear in ears { ear.cut(at: output.written) }
  }

  /// A device that must be stopped for it makes a gap in the sound of others.
  func mayTakeBack(_ session: PlaySession, now: Int64) -> Bool {
    !isShared(session) || output.canRewind || session.ear?.patience.grants(now: now) ?? true
  }

  /// Whether other programs play beside the session's.
  func isShared(_ session: PlaySession) -> Bool {
    sessions.contains { $0.ear !== session.ear && $0.isOnItsWay(behind: output.played) }
  }

  func lookAtWords(now: Int64) {
    var (mustTakeBack, isShared) = (false, false)
    for session in sessions where session.lookAt <= now {
      let isOnItsWay = session.isOnItsWay(behind: output.played)
      switch session.look(isOnItsWay: isOnItsWay, canRewind: output.canRewind) {
      case .fine: continue
      case .takeBack: session.lookAt = now + Self.takeBackPause
      case .lie:
        cut(session, .badPosition)
        guard isOnItsWay else { continue }
      }
      guard mayTakeBack(session, now: now) else { continue }
      (mustTakeBack, isShared) = (true, isShared || self.isShared(session))
    }
    if mustTakeBack { takeBack(isShared: isShared) }
    for session in sessions { session.applyGain(played: output.played) }
  }
}
