/// The last reports about the sound of a program. Nothing but time changes them.
struct Hearing: Sendable {
  private enum State: Sendable {
    case silent
    case sounding
    case fading(ends: Moment)
  }

  private var live = State.silent, all = State.silent
  /// The last report that the program is sounding, or that its sound has ended.
  private(set) var lastHeard: Moment?
  /// The last sound of the live sessions, once they have fallen silent.
  private(set) var quietSince: Moment?
  /// The end of a call in which nothing is audible.
  private(set) var callEnds: Moment?

  mutating func told(in scope: AudioScope, _ report: AudibilityReport, spoken: Interval, _ turn: Turn) {
    let before = isSounding(scope)
    let state: State =
      switch report {
      case .sounding: .sounding
      case .quiet(let rest) where rest > .zero: .fading(ends: turn.now + min(rest, turn.policy.longest))
      case .quiet: .silent
      }
    switch scope {
    case .live: live = state
    case .all: all = state
    }
    guard before || report == .sounding else { return }
    lastHeard = turn.now
    guard scope == .live else { return }
    callEnds = report == .sounding ? nil : turn.now + spoken
    // lull-audio tells that it is quiet when the indicator goes out.
    let indicator = Interval.seconds(Int64(turn.policy.audibility.indicatorSeconds))
    quietSince = report == .sounding ? nil : turn.now - min(indicator, spoken)
  }

  func isSounding(_ scope: AudioScope) -> Bool {
    if case .sounding = state(scope) { true } else { false }
  }

  func fadeEnds(_ scope: AudioScope) -> Moment? {
    if case .fading(let ends) = state(scope) { ends } else { nil }
  }

  /// The question can come before the tick that ends the hangover.
  func isHeard(_ scope: AudioScope, at now: Moment) -> Bool {
    isSounding(scope) || fadeEnds(scope).map { $0 > now } ?? false
  }

  var deadline: Moment {
    min(fadeEnds(.live) ?? .never, fadeEnds(.all) ?? .never, callEnds ?? .never)
  }

  mutating func fade(at now: Moment) {
    if let ends = fadeEnds(.live), ends <= now { live = .silent }
    if let ends = fadeEnds(.all), ends <= now { all = .silent }
    if let ends = callEnds, ends <= now { callEnds = nil }
  }

  mutating func standStill(_ time: Interval) {
    if let ends = fadeEnds(.live) { live = .fading(ends: ends + time) }
    if let ends = fadeEnds(.all) { all = .fading(ends: ends + time) }
    callEnds = callEnds.map { $0 + time }
    quietSince = quietSince.map { $0 + time }
  }

  private func state(_ scope: AudioScope) -> State {
    switch scope {
    case .live: live
    case .all: all
    }
  }
}
