internal import LullSystem

/// Plays the frames of all sessions on one device: one pass for each wake-up, which says when the next one is
/// due.
///
/// A pass asks the device where it is, meters what was heard, reads each program's words once, takes back
/// from the device what is not to be heard, fills the device, and tells programs and daemon what has changed.
public final class Renderer {
  private let audience: Audience
  let output: Output
  let report: (AudioReport) -> Void
  /// The sessions that are open.
  public private(set) var sessions: [PlaySession] = []
  /// What is heard of each program that was here.
  private(set) var ears: [Ear] = []
  /// As much as the device holds.
  var mix = SampleBuffer(count: 1)
  let closeAfter: Int64
  /// Since when nothing plays.
  var idleSince: Int64?
  /// Since when a smaller latency than now is not needed any more.
  var relaxedSince: Int64?
  /// How long it must not have been needed. Each time that it is needed again soon, this doubles: opening the device
  /// anew is a gap for all.
  var relaxDelay = Renderer.shortestRelax
  /// Until then is soon.
  var relaxedUntil: Int64 = .min
  static let shortestRelax: Int64 = 2_000_000_000
  static let longestRelax: Int64 = 128_000_000_000
  private var isRouteTold = true
  /// How long to wait before a device that is there and did not begin is begun once more.
  var beginDelay = Renderer.shortestDelay
  static let shortestDelay: Int64 = 5_000_000

  /// `report` is called in a pass. `closeAfter` is in nanoseconds.
  public init(
    audience: Audience, closeAfter: Int64 = 10_000_000_000, open: @escaping SinkOpener,
    report: @escaping (AudioReport) -> Void
  ) {
    (self.audience, self.closeAfter, self.report) = (audience, closeAfter, report)
    output = Output(open: open)
  }

  deinit { for ear in ears { audience.forget(ear) } }

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
    let ear = ear(session.request)
    ear.add(session)
    session.ear = ear
    sessions.append(session)
    guard let format = output.sink?.format else { return }
    if !ear.isAttached { ear.attach(format, at: output.heard) }
    attach(session, format)
  }

  private func ear(_ request: SessionRequest) -> Ear {
    let hearing = audience.hearing(request.program, silence: request.silence)
    if let ear = ears.first(where: { $0.hearing === hearing }) { return ear }
    let ear = Ear(hearing)
    ears.append(ear)
    return ear
  }

  /// The session is closed; a pass should follow.
  public func remove(_ id: UInt64, now: Int64) {
    guard let session = sessions.first(where: { $0.request.id == id }) else { return }
    if output.isRunning, session.isOnItsWay(behind: output.heard) {
      measure(now: now)
      if mayTakeBack(session, now: now) { takeBack(isShared: isShared(session)) }
    }
    sessions.removeAll { $0 === session }
    session.leave()
  }

  /// Another order for a session, at the frame that is heard; a pass should follow.
  public func order(_ id: UInt64, _ order: SessionOrder, now: Int64) {
    guard let session = sessions.first(where: { $0.request.id == id }), order != session.order else { return }
    measure(now: now)
    let isHeard = session.isHeard(at: output.heard)
    if isHeard, output.queued > 0, output.canRewind || session.ear?.patience.grants(now: now) ?? true {
      takeBack(isShared: isShared(session))
    }
    session.setOrder(order, from: output.written, isHeard: isHeard, rate: output.rate)
  }

  /// Does what is due and returns when the next pass is: nil when nothing is until a session changes.
  public func pass(now: Int64) -> Int64? {
    measure(now: now)
    lookAtWords(now: now)
    openOrClose(now: now)
    fill(now: now)
    settle(now: now)
    if output.isRunning, output.queued == 0 { output.end() }
    tellRoute()
    return nextPass(now: now)
  }

  /// Where the device is, and what of each session is heard.
  func measure(now: Int64) {
    let isWhole = output.measure(now: now)
    advance(now: now)
    if !isWhole { cutBack() }
    if output.isRunning, output.queued == 0 {
      if sessions.contains(where: { $0.isRendering && !$0.isSpent(heard: output.heard) }) {
        output.noteUnderrun()
      }
      output.stop()
      cutBack()
    }
    if !output.isRunning { for ear in ears { ear.passSilence(until: now) } }
  }

  func advance(now: Int64) {
    for session in sessions { session.advance(to: output.heard, now: now) }
    for ear in ears { ear.listen(to: output.heard, at: output.heardAt) }
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

  /// Programs that have gone, once what was heard of them does not count any more.
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
