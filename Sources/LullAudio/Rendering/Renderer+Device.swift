extension Renderer {
  private static let longestDelay: Int64 = 250_000_000

  func openOrClose(now: Int64) {
    guard let seconds = latency else { return closeWhenIdle(now: now) }
    idleSince = nil
    reopenForLatency(seconds, now: now)
    guard output.sink == nil, let isOpen = output.openIfDue(sinkRequest(seconds), now: now) else { return }
    if isOpen, let format = output.sink?.format {
      mix = SampleBuffer(count: format.buffer * format.channels)
      for session in sessions { attach(session, format) }
      for ear in ears { ear.attach(format, at: output.written) }
    } else if !output.hasWorked, let since = output.missingSince {
      giveUp(after: now - since)
    }
  }

  private func giveUp(after time: Int64) {
    for session in sessions
    where session.isWanted && output.policy.givesUp(after: time, hasMoved: session.moved > 0) {
      cut(session, .noDevice)
    }
    if !sessions.contains(where: \.isWanted) { output.rest() }
  }

  /// The latency in seconds; nil when no session plays.
  private var latency: Double? {
    var smallest: Double?
    for session in sessions where session.isRendering && !session.isSpent(played: output.played) {
      smallest = min(smallest ?? .infinity, session.request.latency)
    }
    return smallest
  }

  private func sinkRequest(_ seconds: Double) -> SinkRequest {
    let first = sessions.first { $0.isRendering }
    return SinkRequest(playing: first?.request.format, seconds: seconds)
  }

  private func reopenForLatency(_ seconds: Double, now: Int64) {
    guard output.sink != nil else { return }
    if seconds > output.seconds * 0.75 {
      guard seconds > output.seconds * 2 else { return relaxedSince = nil }
      relaxedSince = relaxedSince ?? now
      guard let at = relaxAt, now >= at else { return }
      relaxDelay = min(2 * relaxDelay, Self.longestRelax)
      relaxedUntil = now + 2 * relaxDelay
    } else if now > relaxedUntil {
      // A program with a small latency comes and goes seldom enough for the shortest delay.
      relaxDelay = Self.shortestRelax
    }
    relaxedSince = nil
    closeDevice()
  }

  private func closeDevice() {
    output.close()
    cutBack()
    for ear in ears { ear.detach() }
  }

  private func closeWhenIdle(now: Int64) {
    guard !output.isRunning else { return }
    if output.sink == nil { return output.rest() }
    idleSince = idleSince ?? now
    if let since = idleSince, now - since >= closeAfter {
      closeDevice()
      idleSince = nil
    }
  }

  /// The time of the next try to begin the device, if this pass did not begin it.
  func beginAt(now: Int64) -> Int64? {
    guard output.sink != nil, !output.isRunning,
      sessions.contains(where: { $0.isRendering && !$0.source.isEmpty(written: $0.written) })
    else {
      beginDelay = Self.shortestDelay
      return nil
    }
    defer { beginDelay = min(2 * beginDelay, Self.longestDelay) }
    return now + beginDelay
  }

  var closeAt: Int64? { idleSince.map { $0 + closeAfter } }
  /// The time at which the device is opened with a larger buffer.
  var relaxAt: Int64? { relaxedSince.map { $0 + relaxDelay } }
}
