/// Plays the frames of all sessions on one device: one pass for each wake-up. A pass asks the device for its
/// position, meters the frames that were played, reads the fields of each program's ring once, takes back
/// frames that are not to be played, fills the device, and tells programs and daemon the changes.
package final class Renderer {
  let audience: Audience
  let output: DeviceOutput
  let report: (AudioReport) -> Void
  package private(set) var sessions: [PlaySession] = []
  private(set) var ears: [Ear] = []
  /// There is room for as many frames as the device holds.
  private(set) var mix = SampleBuffer(count: 1)
  private let closeAfter: Int64
  private var idleSince: Int64?
  /// The time since which a larger latency than the present one would do.
  private var relaxedSince: Int64?
  /// The time for which a larger latency must do before the device is opened anew. It doubles each time that
  /// the small latency is soon needed again: to open the device anew makes a gap for all.
  private var relaxDelay = Renderer.shortestRelax
  /// The end of the time in which another need for the small latency counts as soon.
  private var relaxedUntil: Int64 = .min
  private static let shortestRelax: Int64 = 2_000_000_000
  private static let longestRelax: Int64 = 128_000_000_000
  private var isRouteTold = true
  /// The wait before an open device that did not begin is begun once more.
  private var beginDelay = Renderer.shortestDelay
  private static let shortestDelay: Int64 = 5_000_000
  private static let longestDelay: Int64 = 250_000_000

  /// `report` is called in a pass. `closeAfter` is in nanoseconds.
  package init(
    audience: Audience, closeAfter: Int64 = 10_000_000_000, open: @escaping SinkOpener,
    report: @escaping (AudioReport) -> Void
  ) {
    (self.audience, self.closeAfter, self.report) = (audience, closeAfter, report)
    output = DeviceOutput(open: open)
  }

  deinit { for ear in ears { audience.forget(ear) } }

  package var device: ShownDevice {
    guard let sink = output.sink else { return output.missingSince == nil ? .closed : .none }
    return .open(sink.format.device)
  }

  package var missingSince: Int64? { output.missingSince }
  package var underruns: Int { output.underruns }
  package var complaint: String { output.complaint }

  package func add(_ session: PlaySession) {
    let ear = ear(session.request)
    session.join(ear)
    sessions.append(session)
    guard let format = output.sink?.format else { return }
    if !ear.isAttached { ear.attach(format, at: output.played) }
    attach(session, format)
  }

  private func ear(_ request: SessionRequest) -> Ear {
    let hearing = audience.hearing(request.program, silence: request.silence)
    if let ear = ears.first(where: { $0.hearing === hearing }) { return ear }
    let ear = Ear(hearing)
    ears.append(ear)
    return ear
  }

  package func remove(_ id: UInt64, now: Int64) {
    guard let session = session(id) else { return }
    if output.isRunning, session.isOnItsWay(behind: output.played) {
      measure(now: now)
      if mayTakeBack(session, now: now) { takeBack(isShared: isShared(session)) }
    }
    sessions.removeAll { $0 === session }
    session.leave()
  }

  /// The order counts from the frame that plays now.
  package func order(_ id: UInt64, _ order: AudioOrder, now: Int64) {
    guard let session = session(id), order != session.order else { return }
    measure(now: now)
    let isHeard = session.isHeard(at: output.played)
    if isHeard, output.queued > 0, output.canRewind || session.ear?.patience.grants(now: now) ?? true {
      takeBack(isShared: isShared(session))
    }
    session.setOrder(order, from: output.written, isHeard: isHeard, rate: output.rate)
  }

  package func pass(now: Int64) -> Int64? {
    measure(now: now)
    lookAtWords(now: now)
    openOrClose(now: now)
    fill(now: now)
    finish(now: now)
    settle(now: now)
    if output.isRunning, output.queued == 0 { output.end() }
    tellRoute()
    return nextPass(now: now)
  }

  func measure(now: Int64) {
    let isWhole = output.measure(now: now)
    advance(now: now)
    if !isWhole { cutBack() }
    if output.isRunning, output.queued == 0 {
      if sessions.contains(where: { $0.isRendering && !$0.isSpent(played: output.played) }) {
        output.noteUnderrun()
      }
      output.stop()
      cutBack()
    }
    if !output.isRunning || output.isStill { for ear in ears { ear.passSilence(until: now) } }
  }

  func advance(now: Int64) {
    for session in sessions { session.advance(to: output.played, now: now) }
    for ear in ears { ear.listen(to: output.played, at: output.playedAt) }
  }

  func cut(_ session: PlaySession, _ reason: CutReason) {
    session.cut(reason)
    if session.note(isActive: false) { report(.ended(session.request.id)) }
    report(.cut(session.request.id, reason))
  }

  private func attach(_ session: PlaySession, _ format: SinkFormat) {
    if !session.attach(format) { cut(session, .badFormat) }
  }

  /// Forgets programs that have gone, once their last sound does not count any more.
  func forgetDone(now: Int64) {
    while let index = ears.firstIndex(where: { $0.isDone(now: now) }) {
      audience.forget(ears.remove(at: index))
    }
  }

  private func tellRoute() {
    guard output.isGone == isRouteTold else { return }
    isRouteTold = !output.isGone
    report(output.isGone ? .routeGone : .routeNew(device: output.sink?.format.device ?? ""))
  }
}

/// The device: when it is opened, opened anew and closed.
extension Renderer {
  private func openOrClose(now: Int64) {
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
    let format = sessions.first { $0.isRendering }?.request.format
    return SinkRequest(
      rate: format?.rate ?? 48_000, isNarrow: format.map { $0.sample.bytes <= 2 } ?? true, seconds: seconds)
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

extension Renderer: Station {
  /// The session plays at once, not behind the queued frames of others.
  package func join(_ session: PlaySession, now: Int64) {
    measure(now: now)
    if output.isRunning { takeBack(isShared: true) }
    add(session)
    guard let ear = session.ear else { return }
    // The pass of the other device may come first, and must know that the program plays.
    if session.hasBegun, session.order != .hold { ear.count(session) }
    if let predecessor = session.predecessor, predecessor.sessions == 0 { ear.takeOver(predecessor) }
    session.predecessor = nil
  }

  /// Removes a session that goes on on another device with the next unplayed frame: its queued frames come
  /// back.
  package func release(_ id: UInt64, now: Int64) -> PlaySession? {
    measure(now: now)
    guard let session = session(id) else { return nil }
    session.predecessor = session.ear
    remove(id, now: now)
    session.endFade()
    return session
  }

  package func claim(_ id: UInt64, as request: SessionRequest, doorbell: Doorbell) -> Bool {
    guard let session = session(id), let ear = session.ear,
      session.canGoOn(as: request), audience.claim(ear.hearing, for: request)
    else { return false }
    session.goOn(as: request, doorbell: doorbell)
    // The next lulld takes the device to be there: the next pass reports again that it is gone.
    isRouteTold = true
    return true
  }

  package func needsDevice(_ id: UInt64) -> Bool {
    session(id).map { $0.isRendering && !$0.isSpent(played: output.played) } ?? false
  }
}
