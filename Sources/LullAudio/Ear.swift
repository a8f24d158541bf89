internal import LullEngine

/// What one device plays of a program.
///
/// Its live sessions are those without a deep buffer. They are metered apart from all only once there is a
/// deep one.
final class Ear {
  let hearing: Hearing
  private var all: Listener
  private var liveApart: Listener?
  /// How many sessions are open.
  var sessions = 0
  /// How the sessions play, as the last pass found them.
  private var playing = (all: Playing(), live: Playing())
  /// How often they may still disturb the others.
  var patience = Patience()

  /// What counts for the hangover.
  struct Playing {
    var isRunning = false
    var isSpoken = false
  }

  init(_ hearing: Hearing) {
    self.hearing = hearing
    all = Listener(hearing.policy, silence: hearing.silence)
    hearing.ears.append(self)
  }

  /// When the last tenth of a scope's sessions ended with which the rule held.
  func lastHeard(_ scope: AudioScope) -> Int64? {
    scope == .live && liveApart != nil ? liveApart?.lastHeard : all.lastHeard
  }

  /// The hangover that a scope's sessions have, in seconds.
  func hangover(_ scope: AudioScope, running: Bool, spoken: Bool) -> Double {
    let all = all.hangover(running: running, spoken: spoken)
    return scope == .all ? all : liveApart?.hangover(running: running, spoken: spoken) ?? all
  }

  /// LB of the last tenth that was heard of all, in hundredths of a decibel; nil for silence.
  var level: Int32? { all.level }

  func playing(_ scope: AudioScope) -> Playing { scope == .all ? playing.all : playing.live }

  /// A session is here now.
  func add(_ session: PlaySession) {
    sessions += 1
    if session.isDeep, liveApart == nil { liveApart = all.copy() }
  }

  // MARK: Frames

  var isAttached: Bool { all.isAttached }

  /// The device plays from a place on.
  func attach(_ format: SinkFormat, at place: UInt64) {
    all.attach(format, at: place)
    liveApart?.attach(format, at: place)
  }

  /// What was heard does not count any more: the program has another hangover.
  func restart() {
    all.restart(silence: hearing.silence)
    liveApart?.restart(silence: hearing.silence)
  }

  /// There is no device.
  func detach() {
    all.detach()
    liveApart?.detach()
  }

  /// Frames of a session that are to be heard at a place.
  func add(_ samples: UnsafePointer<Float>, frames: Int, at place: UInt64, isDeep: Bool) {
    unsafe all.add(samples, frames: frames, at: place)
    if !isDeep { unsafe liveApart?.add(samples, frames: frames, at: place) }
  }

  /// What lies behind a place is not to be heard.
  func cut(at place: UInt64) {
    all.cut(at: place)
    liveApart?.cut(at: place)
  }

  /// The device has played up to a place at a moment.
  func listen(to place: UInt64, at moment: Int64) {
    all.listen(to: place, at: moment)
    liveApart?.listen(to: place, at: moment)
  }

  /// Nothing was played up to a moment.
  func passSilence(until moment: Int64) {
    all.passSilence(until: moment)
    liveApart?.passSilence(until: moment)
  }

  // MARK: What the hangover depends on

  func beginCount() { playing = (Playing(), Playing()) }

  /// A session plays at the end of a pass.
  func count(_ session: PlaySession) {
    playing.all.note(session)
    if !session.isDeep { playing.live.note(session) }
  }

  /// The lease of a scope has ended.
  func forget(_ scope: AudioScope) {
    if scope == .all { all.forget() } else { liveApart?.forget() }
  }

  /// Nothing of it matters any more.
  func isDone(now: Int64) -> Bool { sessions == 0 && all.isSilent(now: now) }
}

extension Ear.Playing {
  fileprivate mutating func note(_ session: PlaySession) {
    isRunning = true
    if session.request.isSpoken { isSpoken = true }
  }
}
