/// Which of a program's sessions are meant.
public enum SoundScope: String, CaseIterable, Sendable {
  /// Those without a deep buffer, which fall silent when the program sleeps.
  case live
  /// All.
  case all
}

/// What whoever plays the sessions says of a program (`AudibleWindow`).
public enum HeardReport: Equatable, Sendable {
  /// The sum of its sessions can be heard.
  case sounding
  /// It cannot be heard any more; so much is left of the hangover.
  case quiet(Interval)
}

/// Whether a program is heard, as it was last told. Nothing but time changes it.
struct Hearing: Sendable {
  private enum State: Sendable {
    case silent
    case sounding
    /// The hangover ends then.
    case fading(ends: Moment)
  }

  private var live = State.silent, all = State.silent
  /// When it was last said to be heard, or to be so no more.
  private(set) var lastHeard: Moment?
  /// A call lasts so long without being heard.
  private(set) var callEnds: Moment?

  mutating func told(_ scope: SoundScope, _ report: HeardReport, spoken: Interval, _ turn: Turn) {
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
    if scope == .live { callEnds = report == .sounding ? nil : turn.now + spoken }
  }

  func isSounding(_ scope: SoundScope) -> Bool {
    if case .sounding = state(scope) { true } else { false }
  }

  /// When the hangover ends; nil while it is heard, and when it is silent.
  func fadeEnds(_ scope: SoundScope) -> Moment? {
    if case .fading(let ends) = state(scope) { ends } else { nil }
  }

  /// True from the beginning of the sound to the end of its hangover; a report can come before the tick that ends it.
  func isHeard(_ scope: SoundScope, at now: Moment) -> Bool {
    isSounding(scope) || fadeEnds(scope).map { $0 > now } ?? false
  }

  /// The next end of a hangover.
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
  }

  private func state(_ scope: SoundScope) -> State {
    switch scope {
    case .live: live
    case .all: all
    }
  }
}
