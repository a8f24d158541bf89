internal import LullEngine

/// The sound of a program on one device.
///
/// Live sessions are those without a deep buffer. They are metered apart from all sessions only once there is
/// a deep one.
final class Ear {
  let hearing: Hearing
  private var all: Listener
  private var liveApart: Listener?
  var sessions = 0
  /// The playing sessions, as the last pass found them.
  private var playing = (all: Playing(), live: Playing())
  var patience = Patience()

  struct Playing {
    var isRunning = false
    var isSpoken = false
  }

  init(_ hearing: Hearing) {
    self.hearing = hearing
    all = Listener(hearing.policy, silence: hearing.silence)
    hearing.ears.append(self)
  }

  /// The end of the last tenth in which the rule held for the sessions of a scope.
  func lastHeard(_ scope: AudioScope) -> Int64? {
    scope == .live && liveApart != nil ? liveApart?.lastHeard : all.lastHeard
  }

  /// In seconds.
  func hangover(_ scope: AudioScope, running: Bool, spoken: Bool) -> Double {
    let all = all.hangover(running: running, spoken: spoken)
    return scope == .all ? all : liveApart?.hangover(running: running, spoken: spoken) ?? all
  }

  /// The level LB of the last tenth of all sessions, in hundredths of a decibel; nil for silence.
  var level: Int32? { all.level }

  func playing(_ scope: AudioScope) -> Playing { scope == .all ? playing.all : playing.live }

  func add(_ session: PlaySession) {
    sessions += 1
    if session.isDeep, liveApart == nil { liveApart = all.copy() }
  }

  /// Takes over the sound, and the hangover that it has earned, from the device that the program has left.
  func takeOver(_ old: Ear) {
    var live = old.liveApart ?? old.all
    if old.liveApart != nil, liveApart == nil { liveApart = all.copy() }
    liveApart?.takeOver(&live)
    all.takeOver(&old.all)
    old.forget(.live)
  }

  // MARK: Frames

  var isAttached: Bool { all.isAttached }

  private func each(_ body: (inout Listener) -> Void) {
    body(&all)
    liveApart?.apply(body)
  }

  func attach(_ format: SinkFormat, at place: UInt64) { each { $0.attach(format, at: place) } }

  func restart() {
    let silence = hearing.silence
    each { $0.restart(silence: silence) }
  }

  func detach() { each { $0.detach() } }

  func add(_ samples: UnsafePointer<Float>, frames: Int, at place: UInt64, isDeep: Bool) {
    unsafe all.add(samples, frames: frames, at: place)
    if !isDeep { unsafe liveApart?.add(samples, frames: frames, at: place) }
  }

  func cut(at place: UInt64) { each { $0.cut(at: place) } }

  func listen(to place: UInt64, at moment: Int64) { each { $0.listen(to: place, at: moment) } }

  func passSilence(until moment: Int64) { each { $0.passSilence(until: moment) } }

  // MARK: Facts for the hangover

  func beginCount() { playing = (Playing(), Playing()) }

  func count(_ session: PlaySession) {
    playing.all.note(session)
    if !session.isDeep { playing.live.note(session) }
  }

  func countStreams() { (playing.all.isRunning, playing.live.isRunning) = (true, true) }

  func forget(_ scope: AudioScope) {
    if scope == .all { all.forget() } else { liveApart?.forget() }
  }

  func isDone(now: Int64) -> Bool { sessions == 0 && all.isSilent(now: now) }
}

extension Listener {
  fileprivate mutating func apply(_ body: (inout Listener) -> Void) { body(&self) }
}

extension Ear.Playing {
  fileprivate mutating func note(_ session: PlaySession) {
    isRunning = true
    if session.request.isSpoken { isSpoken = true }
  }
}

/// Limits how often a program may stop the device while others play: a few times at once, then only after a
/// pause. A program that asks in a loop is refused.
struct Patience {
  private static let most: Int64 = 3
  /// The nanoseconds without a request that allow one more stop.
  private static let pause: Int64 = 10_000_000_000
  private var left = Patience.most
  private var askedAt: Int64?

  mutating func grants(now: Int64) -> Bool {
    let pauses = askedAt.map { (now - $0) / Self.pause } ?? 0
    left = min(Self.most, left + pauses)
    askedAt = now
    guard left > 0 else { return false }
    left -= 1
    return true
  }
}
