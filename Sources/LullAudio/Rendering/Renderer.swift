/// Plays the frames of all sessions on one device: one pass for each wake-up, which returns the time of the
/// next.
///
/// A pass asks the device for its position, meters the frames that were played, reads the fields of each
/// program's ring once, takes back frames that are not to be played, fills the device, and tells programs and
/// daemon the changes.
package final class Renderer {
  let audience: Audience
  let output: Output
  let report: (AudioReport) -> Void
  package private(set) var sessions: [PlaySession] = []
  /// The sound of each program on this device.
  private(set) var ears: [Ear] = []
  /// There is room for as many frames as the device holds.
  var mix = SampleBuffer(count: 1)
  let closeAfter: Int64
  var idleSince: Int64?
  /// The time since which a larger latency than the present one would do.
  var relaxedSince: Int64?
  /// The time for which a larger latency must do before the device is opened anew. It doubles each time that
  /// the small latency is soon needed again: to open the device anew makes a gap for all.
  var relaxDelay = Renderer.shortestRelax
  /// The end of the time in which another need for the small latency counts as soon.
  var relaxedUntil: Int64 = .min
  static let shortestRelax: Int64 = 2_000_000_000
  static let longestRelax: Int64 = 128_000_000_000
  private var isRouteTold = true
  /// The wait before an open device that did not begin is begun once more.
  var beginDelay = Renderer.shortestDelay
  static let shortestDelay: Int64 = 5_000_000

  /// `report` is called in a pass. `closeAfter` is in nanoseconds.
  package init(
    audience: Audience, closeAfter: Int64 = 10_000_000_000, open: @escaping SinkOpener,
    report: @escaping (AudioReport) -> Void
  ) {
    (self.audience, self.closeAfter, self.report) = (audience, closeAfter, report)
    output = Output(open: open)
  }

  deinit { for ear in ears { audience.forget(ear) } }

  package var device: BoardDevice {
    guard let sink = output.sink else { return output.missingSince == nil ? .closed : .none }
    return .open(sink.format.device)
  }

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
    guard let session = sessions.first(where: { $0.request.id == id }) else { return }
    if output.isRunning, session.isOnItsWay(behind: output.played) {
      measure(now: now)
      if mayTakeBack(session, now: now) { takeBack(isShared: isShared(session)) }
    }
    sessions.removeAll { $0 === session }
    session.leave()
  }

  /// The order counts from the frame that plays now.
  package func order(_ id: UInt64, _ order: AudioOrder, now: Int64) {
    guard let session = sessions.first(where: { $0.request.id == id }), order != session.order else { return }
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
    if session.note(isPlaying: false) { report(.ended(session.request.id)) }
    report(.cut(session.request.id, reason))
  }

  func attach(_ session: PlaySession, _ format: SinkFormat) {
    if !session.attach(format) { cut(session, .badFormat) }
  }

  /// Forgets programs that have gone, once their last sound does not count any more.
  func forgetDone(now: Int64) {
    while let index = ears.firstIndex(where: { $0.isDone(now: now) }) {
      audience.forget(ears.remove(at: index))
    }
  }

  /// Has the next pass report a device that is gone, though it was reported before.
  func tellRouteAnew() { isRouteTold = true }

  private func tellRoute() {
    guard output.isGone == isRouteTold else { return }
    isRouteTold = !output.isGone
    report(output.isGone ? .routeGone : .routeNew(device: output.sink?.format.device ?? ""))
  }
}
