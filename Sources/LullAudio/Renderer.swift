public import LullEngine
internal import LullSystem

/// Plays the frames of all sessions on one device: one pass for each wake-up, which says when the next one is due.
///
/// A pass asks the device where it is, reads each program's words once, takes back from the device what is not to be heard,
/// fills the device, and tells programs and daemon what has changed.
public final class Renderer {
  /// The rule by which sessions are audible.
  public let policy: AudibilityPolicy
  let output: Output
  let report: (AudioReport) -> Void
  /// The sessions that are open.
  public private(set) var sessions: [PlaySession] = []
  /// As much as the device holds.
  private(set) var mix = SampleBuffer(count: 1)
  private let closeAfter: Int64
  /// Since when nothing plays.
  private var idleSince: Int64?
  /// Since when a smaller latency than now is not needed any more.
  private var relaxedSince: Int64?
  private var isRouteTold = true
  /// How long to wait before a device that is there and did not begin is begun once more.
  private var beginDelay = Renderer.shortestDelay
  private static let shortestDelay: Int64 = 5_000_000
  private static let longestDelay: Int64 = 250_000_000

  /// `report` is called in a pass. `closeAfter` is in nanoseconds.
  public init(
    policy: AudibilityPolicy = AudibilityPolicy(), closeAfter: Int64 = 10_000_000_000,
    open: @escaping SinkOpener, report: @escaping (AudioReport) -> Void
  ) {
    (self.policy, self.closeAfter, self.report) = (policy, closeAfter, report)
    output = Output(open: open)
  }

  /// The device's state, for the board.
  public var device: BoardDevice {
    guard let sink = output.sink else { return output.missingSince == nil ? .closed : .none }
    return .open(sink.format.device)
  }

  /// How often the device ran dry while there was something to play.
  public var underruns: Int { output.underruns }
  /// Why the device could not be opened, in the library's words.
  public var complaint: String { output.complaint }

  /// A new session; a pass should follow.
  public func add(_ session: PlaySession) {
    sessions.append(session)
    if let format = output.sink?.format { attach(session, format) }
  }

  /// The session is closed; a pass should follow.
  public func remove(_ id: UInt64, now: Int64) {
    guard let index = sessions.firstIndex(where: { $0.request.id == id }) else { return }
    let session = sessions.remove(at: index)
    guard output.isRunning, session.timeline.deviceEnd.map({ $0 > output.heard }) ?? false else { return }
    if !output.measure(now: now) { tellRoute() }
    takeBack()
  }

  /// Another order for a session, at the frame that is heard; a pass should follow.
  public func order(_ id: UInt64, _ order: SessionOrder, now: Int64) {
    guard let session = sessions.first(where: { $0.request.id == id }) else { return }
    measure(now: now)
    if session.setOrder(order, heard: output.heard, rate: output.rate) { takeBack() }
  }

  /// Does what is due and returns when the next pass is: nil when nothing is until a session changes.
  public func pass(now: Int64) -> Int64? {
    measure(now: now)
    lookAtWords()
    openOrClose(now: now)
    fill(now: now)
    for session in sessions { settle(session, now: now) }
    if output.isRunning, output.queued == 0 { output.end() }
    tellRoute()
    return nextPass(now: now)
  }

  /// Where the device is, and what of each session is heard.
  private func measure(now: Int64) {
    let isWhole = output.measure(now: now)
    for session in sessions { session.advance(to: output.heard, now: now) }
    if !isWhole { takeBack() }
    guard output.isRunning, output.queued == 0 else { return }
    if sessions.contains(where: { $0.isRendering && !$0.isSpent(heard: output.heard) }) {
      output.noteUnderrun()
    }
    output.stop()
  }

  /// What is not heard yet comes back from the device and is rendered again.
  func takeBack() {
    output.stop()
    for session in sessions { session.takeBack() }
  }

  private func lookAtWords() {
    var mustTakeBack = false
    for session in sessions {
      let isOnItsWay = session.timeline.deviceEnd.map { $0 > output.heard } ?? false
      switch session.look(isOnItsWay: isOnItsWay) {
      case .fine: break
      case .takeBack: mustTakeBack = true
      case .lie:
        mustTakeBack = mustTakeBack || isOnItsWay
        cut(session, .badPosition, .badPosition)
      }
    }
    if mustTakeBack { takeBack() }
  }

  func cut(_ session: PlaySession, _ error: RingError, _ reason: CutReason) {
    session.cut(error)
    if session.hasBegun { report(.ended(session.request.id)) }
    session.hasBegun = false
    report(.cut(session.request.id, reason))
  }

  func attach(_ session: PlaySession, _ format: SinkFormat) {
    if !session.attach(format) { cut(session, .badFormat, .badFormat) }
  }

  private func tellRoute() {
    guard output.isGone == isRouteTold else { return }
    isRouteTold = !output.isGone
    report(output.isGone ? .routeGone : .routeNew(device: output.sink?.format.device ?? ""))
  }

  // MARK: The device

  private func openOrClose(now: Int64) {
    guard let seconds = latency else { return closeWhenIdle(now: now) }
    idleSince = nil
    reopenForLatency(seconds, now: now)
    guard output.sink == nil else { return }
    if output.openIfDue(sinkRequest(seconds), now: now), let format = output.sink?.format {
      mix = SampleBuffer(count: format.buffer * format.channels)
      for session in sessions {
        attach(session, format)
        session.takeBack()
      }
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
      guard let since = relaxedSince, now - since >= 2_000_000_000 else { return }
    }
    relaxedSince = nil
    takeBack()
    output.close()
  }

  private func closeWhenIdle(now: Int64) {
    guard !output.isRunning else { return }
    if output.sink == nil { return output.rest() }
    idleSince = idleSince ?? now
    if let since = idleSince, now - since >= closeAfter {
      output.close()
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
  var relaxAt: Int64? { relaxedSince.map { $0 + 2_000_000_000 } }
}
