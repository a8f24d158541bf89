internal import LullRing

/// The end of a pass: what programs and daemon are told, and when the next pass is due.
extension Renderer {
  func settle(now: Int64) {
    for ear in ears { ear.beginCount() }
    for session in sessions where session.state != .cut {
      session.settle(now: now, played: output.played)
      session.publish()
      tellPlaying(session, now: now)
      tellLevelOfRing(session)
      if session.hasBegun, session.order != .hold { session.ear?.count(session) }
    }
    for ear in ears { ear.hearing.settle(now: now) }
    forgetDone(now: now)
  }

  /// A session that has run dry for less than a second still plays.
  private func tellPlaying(_ session: PlaySession, now: Int64) {
    let isDry = session.starvedAt.map { now - $0 >= 1_000_000_000 } ?? false
    let plays = session.isWanted && !(session.state == .starved && isDry)
    guard session.note(isActive: plays) else { return }
    report(plays ? .began(session.request.id) : .ended(session.request.id))
    if !plays, session.state == .drained { report(.drained(session.request.id)) }
  }

  private func tellLevelOfRing(_ session: PlaySession) {
    guard let lowWater = session.request.lowWater else { return }
    let isEmpty = session.queued == 0 && (session.state == .starved || session.state == .drained)
    let isLow = session.isWanted && session.transport == .play && session.queued < lowWater
    let level: PlaySession.Level = isEmpty ? .empty : isLow ? .low : .filled
    guard session.note(level) else { return }
    report(level == .filled ? .filled(session.request.id) : .low(session.request.id))
  }

  // MARK: The next pass

  /// A device that stands still has nothing to fill.
  private static let stillPause: Int64 = 1_000_000_000

  func nextPass(now: Int64) -> Int64? {
    var next: Int64 = .max
    for session in sessions where session.state != .cut { next = min(next, deadline(session, now: now)) }
    if output.isRunning { next = min(next, refillAt(now: now)) }
    if output.sink == nil, sessions.contains(where: { $0.isWanted }), let retry = output.retryAt {
      next = min(next, retry)
    }
    for ear in ears { next = min(next, ear.hearing.deadline(now: now) ?? .max) }
    next = min(next, closeAt ?? .max, relaxAt ?? .max, beginAt(now: now) ?? .max)
    guard next != .max else { return nil }
    return max(next, now + (output.isStill ? Self.stillPause : 500_000))
  }

  private func refillAt(now: Int64) -> Int64 {
    guard let format = output.sink?.format else { return .max }
    let end = output.moment(output.written) + 1_000_000
    guard !isEnding else { return end }
    let second: Int64 = 1_000_000_000
    let (level, rate) = (Int64(output.level), Int64(format.rate))
    if output.level > format.margin { return now + (level - Int64(format.margin)) * second / rate }
    // The device or a program was not ready: the renderer tries again, more often the nearer the end comes.
    let half = level * second / 2 / rate
    return half > 3_000_000 ? now + half : min(end, now + 3_000_000)
  }

  private func deadline(_ session: PlaySession, now: Int64) -> Int64 {
    if session.hasNews { return now }
    var next = session.lookAt > now ? session.lookAt : .max
    if session.state == .starved, session.hasBegun, let since = session.starvedAt {
      next = min(next, since + 1_000_000_000)
    }
    guard session.state == .running, output.isRunning else { return next }
    let moved = session.moved
    if session.observeAgainAt > moved, session.doorbellAt <= moved {
      next = min(next, now + session.nanoseconds(session.observeAgainAt - moved) + 1_000_000)
    }
    if session.doorbellAt > moved, session.rungFor != UInt32(truncatingIfNeeded: session.doorbellAt) {
      next = min(next, now + session.nanoseconds(session.doorbellAt - moved) + 1_000_000)
    }
    if let lowWater = session.request.lowWater, session.ringLevel == .filled, session.transport == .play,
      session.queued >= lowWater
    {
      next = min(next, now + session.nanoseconds(session.queued - lowWater + 1) + 1_000_000)
    }
    if let end = session.timeline.deviceEnd,
      session.source.isEmpty(written: session.written) || session.order == .hold || !session.isWanted
    {
      next = min(next, output.moment(end) + 1_000_000)
    }
    return next
  }
}
