internal import LullSystem

/// A device that is captured from.
public protocol SoundSource: AnyObject {
  /// What it gives.
  var format: SinkFormat { get }
  /// Makes it ready after it was opened or has run over.
  func prepare() throws(SinkError)
  /// Begins to capture.
  func start() throws(SinkError)
  /// Gives the frames that wait, at most so many, interleaved; returns how many.
  func read(into samples: UnsafeMutablePointer<Float>, frames: Int) throws(SinkError) -> Int
}

/// Captures for all sessions from one device: one pass for each wake-up, which says when the next one is due.
public final class Capturer {
  private static let shortestRetry: Int64 = 250_000_000
  private static let longestRetry: Int64 = 5_000_000_000

  /// Opens a device.
  public typealias Opener = (SinkRequest) throws(SinkError) -> any SoundSource

  /// The sessions that are open.
  public private(set) var sessions: [CaptureSession] = []
  private let open: Opener
  private let report: (AudioReport) -> Void
  private(set) var source: (any SoundSource)?
  private let samples: SampleBuffer
  private var retryAt: Int64?
  private var retryDelay = Capturer.shortestRetry
  /// Since when the device gives frames.
  private var worksSince: Int64?
  /// Since when the device could not be opened though a session captures.
  public private(set) var missingSince: Int64?
  private var hasWorked = false
  /// Why the device could not be opened, in the library's words.
  public private(set) var complaint = ""

  /// `report` is called in a pass.
  public init(open: @escaping Opener, report: @escaping (AudioReport) -> Void) {
    (self.open, self.report) = (open, report)
    samples = SampleBuffer(count: CaptureSession.chunk * 8)
  }

  /// A new session; a pass should follow.
  public func add(_ session: CaptureSession) {
    sessions.append(session)
    if let format = source?.format { attach(session, format) }
  }

  /// The session is closed; a pass should follow.
  public func remove(_ id: UInt64) { sessions.removeAll { $0.request.id == id } }

  /// Another order for a session; a pass should follow.
  public func order(_ id: UInt64, _ order: SessionOrder) {
    sessions.first { $0.request.id == id }?.order = order
  }

  /// Does what is due and returns when the next pass is.
  public func pass(now: Int64) -> Int64? {
    for session in sessions where !session.look() { cut(session, .badPosition, .badPosition) }
    guard sessions.contains(where: { $0.isRunning }) else {
      source = nil
      (retryAt, retryDelay, missingSince, worksSince) = (nil, Self.shortestRetry, nil, nil)
      for session in sessions { settle(session, now: now) }
      return nil
    }
    if source == nil { openIfDue(now: now) }
    readAll(now: now)
    for session in sessions { settle(session, now: now) }
    return deadline(now: now)
  }

  /// Takes what waits, at most what the device holds: some always have more, and some fail at every read.
  func readAll(now: Int64) {
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
    retryDelay = min(2 * retryDelay, Self.longestRetry)
  }

  /// A device that can be opened and then fails at once is no device.
  private func noteWork(now: Int64) {
    worksSince = worksSince ?? now
    if let since = worksSince, now - since >= 1_000_000_000 { retryDelay = Self.shortestRetry }
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
      source = opened
      (retryAt, missingSince, hasWorked) = (nil, nil, true)
      for session in sessions { attach(session, opened.format) }
    } catch {
      if case .gone(let text) = error { complaint = text }
      missingSince = missingSince ?? now
      retryLater(now: now)
      guard !hasWorked, let since = missingSince, now - since >= 10_000_000_000 else { return }
      for session in sessions where session.isRunning { cut(session, .noDevice, .noDevice) }
      (retryAt, missingSince) = (nil, nil)
    }
  }

  private func attach(_ session: CaptureSession, _ format: SinkFormat) {
    if !session.attach(format) { cut(session, .badFormat, .badFormat) }
  }

  private func cut(_ session: CaptureSession, _ error: RingError, _ reason: CutReason) {
    session.cut(error)
    report(.cut(session.request.id, reason))
  }

  private func settle(_ session: CaptureSession, now: Int64) {
    if session.state != .cut { session.publish(now: now) }
    let captures = session.isRunning && source != nil
    guard captures != session.hasBegun else { return }
    session.hasBegun = captures
    report(captures ? .began(session.request.id) : .ended(session.request.id))
  }

  private var latency: Double {
    sessions.lazy.filter(\.isRunning).map(\.request.latency).min() ?? SessionRequest.defaultLatency
  }

  private func deadline(now: Int64) -> Int64? {
    guard source != nil else { return retryAt }
    var next = now + Int64(latency * 250_000_000)
    for session in sessions {
      if let bell = session.bellMoment(now: now) { next = min(next, max(bell, now + 5_000_000)) }
    }
    return next
  }
}
