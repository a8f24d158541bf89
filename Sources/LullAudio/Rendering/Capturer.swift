/// Captures for all sessions from one device: one pass for each wake-up.
package final class Capturer {
  package typealias Opener = (SinkRequest) throws(SinkError) -> any AudioSource

  package private(set) var sessions: [CaptureSession] = []
  private let open: Opener
  private let report: (AudioReport) -> Void
  private var source: (any AudioSource)?
  private let samples: SampleBuffer
  /// The programs for which the device captures, as it was told last.
  private var named: [String] = []
  private var retryAt: Int64?
  private let policy = DevicePolicy()
  private var retryDelay: Int64
  private var worksSince: Int64?
  package private(set) var missingSince: Int64?
  private var hasWorked = false
  package private(set) var complaint = ""

  /// `report` is called in a pass.
  package init(open: @escaping Opener, report: @escaping (AudioReport) -> Void) {
    (self.open, self.report, retryDelay) = (open, report, policy.shortestRetry)
    samples = SampleBuffer(count: CaptureSession.chunk * 8)
  }

  package func add(_ session: CaptureSession) {
    sessions.append(session)
    if let format = source?.format { attach(session, format) }
  }

  package func pass(now: Int64) -> Int64? {
    for session in sessions where session.order == .deny && session.state != .cut { cut(session, .denied) }
    for session in sessions where !session.look() { cut(session, .badPosition) }
    guard sessions.contains(where: { $0.isRunning }) else {
      source = nil
      (retryAt, retryDelay, missingSince, worksSince) = (nil, policy.shortestRetry, nil, nil)
      for session in sessions { settle(session, now: now) }
      return nil
    }
    if source == nil { openIfDue(now: now) }
    tellPrograms()
    readAll(now: now)
    for session in sessions { settle(session, now: now) }
    return deadline(now: now)
  }

  /// The device has one stream for all programs that record.
  private func tellPrograms() {
    let names = sessions.lazy.filter(\.isRunning).compactMap(\.request.name)
    guard let source, !names.elementsEqual(named), !names.isEmpty else { return }
    named = Array(names)
    source.name(Set(named).sorted().joined(separator: ", "))
  }

  /// Reads the waiting frames, at most as many as the device holds: some devices always have more, and some
  /// fail at every read.
  private func readAll(now: Int64) {
    var (left, hasFailed) = (source?.format.buffer ?? 0, false)
    while let source, left > 0 {
      do {
        let frames = try unsafe source.read(into: samples.base, frames: min(left, CaptureSession.chunk))
        guard frames > 0 else { return }
        left -= frames
        noteWork(now: now)
        for session in sessions where session.isRunning { unsafe session.take(samples.base, frames: frames) }
      } catch {
        if hasFailed { return lose(error, now: now) }
        hasFailed = true
        recover(error, now: now)
      }
    }
  }

  private func recover(_ error: SinkError, now: Int64) {
    switch error {
    case .ranDry, .suspended:
      for session in sessions where session.isRunning { session.noteLoss() }
      do {
        try source?.prepare()
        try source?.start()
      } catch {
        lose(error, now: now)
      }
    case .gone: lose(error, now: now)
    }
  }

  private func lose(_ error: SinkError, now: Int64) {
    if case .gone(let text) = error { complaint = text }
    source = nil
    missingSince = now
    retryLater(now: now)
  }

  private func retryLater(now: Int64) {
    (retryAt, worksSince) = (now + retryDelay, nil)
    retryDelay = min(2 * retryDelay, policy.longestRetry)
  }

  /// The retry delay is reset only after a second of frames: some devices can be opened and then fail at
  /// once.
  private func noteWork(now: Int64) {
    worksSince = worksSince ?? now
    if let since = worksSince, now - since >= 1_000_000_000 { retryDelay = policy.shortestRetry }
  }

  private func openIfDue(now: Int64) {
    guard retryAt.map({ $0 <= now }) ?? true, let first = sessions.first(where: { $0.isRunning }) else {
      return
    }
    let format = first.request.format
    let request = SinkRequest(
      rate: format.rate, channels: format.channels, isNarrow: format.sample.bytes <= 2, seconds: latency * 2)
    do {
      let opened = try open(request)
      try opened.prepare()
      try opened.start()
      (source, named) = (opened, [])
      (retryAt, missingSince, hasWorked) = (nil, nil, true)
      for session in sessions { attach(session, opened.format) }
    } catch {
      if case .gone(let text) = error { complaint = text }
      missingSince = missingSince ?? now
      retryLater(now: now)
      guard !hasWorked, let since = missingSince else { return }
      for session in sessions
      where session.isRunning && policy.givesUp(after: now - since, hasMoved: session.moved > 0) {
        cut(session, .noDevice)
      }
      if !sessions.contains(where: \.isRunning) { (retryAt, missingSince) = (nil, nil) }
    }
  }

  private func attach(_ session: CaptureSession, _ format: SinkFormat) {
    if !session.attach(format) { cut(session, .badFormat) }
  }

  private func cut(_ session: CaptureSession, _ reason: CutReason) {
    session.cut(reason)
    report(.cut(session.request.id, reason))
  }

  private func settle(_ session: CaptureSession, now: Int64) {
    if session.state != .cut { session.publish(now: now) }
    let captures = session.isRunning && source != nil
    guard session.note(isActive: captures) else { return }
    report(captures ? .began(session.request.id) : .ended(session.request.id))
  }

  private var latency: Double {
    sessions.lazy.filter(\.isRunning).map(\.request.latency).min() ?? SessionRequest.defaultLatency
  }

  private func deadline(now: Int64) -> Int64? {
    guard source != nil else { return retryAt }
    var next = now + Int64(latency * 250_000_000)
    for session in sessions {
      if let doorbell = session.doorbellMoment(now: now) { next = min(next, max(doorbell, now + 5_000_000)) }
    }
    return next
  }
}

extension Capturer: Station {
  package func join(_ session: CaptureSession, now: Int64) { add(session) }

  package func remove(_ id: UInt64, now: Int64) { sessions.removeAll { $0.request.id == id } }

  package func order(_ id: UInt64, _ order: AudioOrder, now: Int64) {
    session(id)?.order = order
  }

  /// The session leaves with everything that this device has captured.
  package func release(_ id: UInt64, now: Int64) -> CaptureSession? {
    guard let session = session(id) else { return nil }
    readAll(now: now)
    remove(id, now: now)
    return session
  }

  package func claim(_ id: UInt64, as request: SessionRequest, doorbell: Doorbell) -> Bool {
    guard let session = session(id), session.canGoOn(as: request) else { return false }
    session.goOn(as: request, doorbell: doorbell)
    return true
  }

  package func needsDevice(_ id: UInt64) -> Bool { session(id)?.isRunning == true }

  package var device: ShownDevice {
    guard let source else { return missingSince == nil ? .closed : .none }
    return .open(source.format.device)
  }
}
