internal import LullSystem

/// The device: when it is opened, begun and closed.
extension Renderer {
  private static let longestDelay: Int64 = 250_000_000

  func openOrClose(now: Int64) {
    guard let seconds = latency else { return closeWhenIdle(now: now) }
    idleSince = nil
    reopenForLatency(seconds, now: now)
    guard output.sink == nil else { return }
    if output.openIfDue(sinkRequest(seconds), now: now), let format = output.sink?.format {
      mix = SampleBuffer(count: format.buffer * format.channels)
      for session in sessions { attach(session, format) }
      for ear in ears { ear.attach(format, at: output.written) }
    } else if !output.hasWorked, let since = output.missingSince, now - since >= 10_000_000_000 {
      for session in sessions where session.isWanted { cut(session, .noDevice, .noDevice) }
      output.rest()
    }
  }

  /// The smallest latency of the sessions that play; nil when none does.
  private var latency: Double? {
    var smallest: Double?
    for session in sessions where session.isRendering && !session.isSpent(heard: output.heard) {
      smallest = min(smallest ?? .infinity, session.request.latency)
    }
    return smallest
  }

  /// At the format of the session that plays first.
  private func sinkRequest(_ seconds: Double) -> SinkRequest {
    let first = sessions.first { $0.isRendering }
    return SinkRequest(
      rate: first?.request.format.rate ?? 48_000, channels: 2,
      isNarrow: first.map { $0.request.format.sample.bytes <= 2 } ?? true, seconds: seconds)
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
      // It comes and goes seldom enough.
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

  /// When the device is to be begun once more, because it did not in this pass.
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

  /// When the device is to be closed.
  var closeAt: Int64? { idleSince.map { $0 + closeAfter } }
  /// When the device is to be opened with a larger buffer.
  var relaxAt: Int64? { relaxedSince.map { $0 + relaxDelay } }
}
