internal import LullEngine

/// Decides whether a program can be heard on any device, and reports changes to the daemon.
final class Hearing {
  /// Nil for a program that the present lulld has given no number: nothing is reported of it.
  private(set) var program: UInt64?
  let policy: AudibilityPolicy
  private(set) var silence: Interval?
  var ears: [Ear] = []
  private let report: (AudioReport) -> Void
  /// In seconds: more than any machine runs.
  private static let longest = 1e9
  private var settledAt: Int64 = 0
  private var told = (all: Told.silent, live: Told.silent)

  /// The last report to the daemon.
  private enum Told {
    case silent
    case sounding
    /// A hangover that ends at this moment.
    case quiet(end: Int64)

    /// Whether the daemon still holds the lease.
    func isOpen(now: Int64) -> Bool {
      switch self {
      case .silent: false
      case .sounding: true
      case .quiet(let end): end > now
      }
    }
  }

  private struct Lease {
    /// The last tenth that was heard.
    var last: Int64
    var end: Int64
  }

  init(
    _ program: UInt64, policy: AudibilityPolicy, silence: Interval?, report: @escaping (AudioReport) -> Void
  ) {
    (self.program, self.policy, self.silence, self.report) = (program, policy, silence, report)
  }

  /// Gives the program another number, under which nothing was reported of it.
  func setProgram(_ number: UInt64?) {
    program = number
    told = (.silent, .silent)
  }

  func setSilence(_ new: Interval?) {
    guard new != silence else { return }
    silence = new
    for ear in ears { ear.restart() }
  }

  /// What the daemon was told last.
  var isSounding: Bool { if case .sounding = told.all { true } else { false } }

  func settle(now: Int64) {
    settledAt = now
    let all = lease(.all, now: now)
    told.all = tell(.all, lease: all, told: told.all, now: now)
    told.live = tell(.live, lease: liveLease(all, now: now), told: told.live, now: now)
  }

  /// Forgets a device. The sound of the last one keeps its hangover and gets no more.
  func leave(_ ear: Ear) {
    while ears.count == 1, let dark = deadline(now: settledAt) { settle(now: max(dark, settledAt)) }
    ears.removeAll { $0 === ear }
  }

  /// The time of the next report that is due though no frame is rendered.
  func deadline(now: Int64) -> Int64? {
    guard isSounding || isLiveSounding, let all = lease(.all, now: now) else { return nil }
    let live = isLiveSounding ? liveLease(all, now: now).map(dark) : nil
    return min(dark(all), live ?? .max)
  }

  private var isLiveSounding: Bool { if case .sounding = told.live { true } else { false } }

  /// The lease of the live sessions, within that of all: two sessions that cancel each other are heard in
  /// neither scope.
  private func liveLease(_ all: Lease?, now: Int64) -> Lease? {
    guard let all, let live = lease(.live, now: now) else { return nil }
    return Lease(last: min(all.last, live.last), end: min(all.end, live.end))
  }

  /// Nil when nothing was heard. A lease whose hangover has ended is forgotten.
  private func lease(_ scope: AudioScope, now: Int64) -> Lease? {
    let isRunning = ears.contains { $0.playing(scope).isRunning }
    let isSpoken = ears.contains { $0.playing(scope).isSpoken }
    var lease: Lease?
    for ear in ears {
      guard let heard = ear.lastHeard(scope) else { continue }
      // What was earned on a device counts from the last sound of that device: it is spent there alone.
      let seconds = ear.hangover(scope, running: isRunning, spoken: isSpoken)
      let end = heard + Int64(min(seconds, Self.longest) * 1e9)
      lease = Lease(last: max(lease?.last ?? heard, heard), end: max(lease?.end ?? end, end))
    }
    if let lease, lease.end <= now {
      for ear in ears { ear.forget(scope) }
      return nil
    }
    return lease
  }

  /// The time at which the indicator goes out.
  private func dark(_ lease: Lease) -> Int64 {
    min(lease.last + Int64(policy.indicatorSeconds) * 1_000_000_000, lease.end)
  }

  private func tell(_ scope: AudioScope, lease: Lease?, told: Told, now: Int64) -> Told {
    guard let lease else {
      if told.isOpen(now: now) { reportQuiet(scope, seconds: 0) }
      return .silent
    }
    if now < dark(lease) {
      if case .sounding = told { return told }
      reportSounding(scope)
      return .sounding
    }
    // A smaller difference is rounding.
    if case .quiet(let end) = told, abs(end - lease.end) < 20_000_000 { return told }
    // The daemon gets a hangover only after the sound that it belongs to.
    if case .silent = told { reportSounding(scope) }
    reportQuiet(scope, seconds: Double(lease.end - now) / 1e9)
    return .quiet(end: lease.end)
  }

  private func reportSounding(_ scope: AudioScope) {
    if let program { report(.sounding(program: program, of: scope)) }
  }

  private func reportQuiet(_ scope: AudioScope, seconds: Double) {
    if let program { report(.quiet(program: program, of: scope, seconds: seconds)) }
  }
}
