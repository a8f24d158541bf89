/// Whether a session is audible, from its audible seconds (docs/AUDIBILITY.md, "Session audible" and
/// "Hangover").
///
/// A value without a clock: it is told of each whole second of the session's sound, in order. A copy that
/// is told of the seconds that are queued looks ahead.
public struct AudibleWindow: Equatable, Sendable {
  private let policy: AudibilityPolicy
  private let hangover: Int
  /// The last seconds, the newest in bit 0.
  private var seconds: UInt64 = 0
  /// Seconds since the last audible one; it stays at its greatest value.
  private var sinceAudible = Int.max

  /// Whole seconds until the audible lease ends, if nothing audible follows; 0 when the session is not
  /// audible.
  public private(set) var secondsLeft = 0

  /// A session of which nothing has been heard.
  public init(_ policy: AudibilityPolicy = AudibilityPolicy(), spoken: Bool = false) {
    self.policy = policy
    hangover = policy.hangover(spoken: spoken)
  }

  /// Whether the session holds the audible lease.
  public var isAudible: Bool { secondsLeft > 0 }

  /// Whether the indicator is lit: the session is audible, and something was heard within `indicatorSeconds`.
  public var isSounding: Bool { isAudible && sinceAudible < policy.indicatorSeconds }

  /// A second of the session's sound has passed.
  public mutating func second(audible: Bool) {
    let wasAudible = isAudible
    seconds = seconds << 1 | (audible ? 1 : 0)
    secondsLeft = max(0, secondsLeft - 1)
    sinceAudible = audible ? 0 : min(sinceAudible, .max - 1) + 1
    guard audible else { return }
    if countsAsAudible {
      secondsLeft = hangover
    } else if wasAudible {
      secondsLeft = max(secondsLeft, policy.bridgeSeconds)
    }
  }

  /// Seconds have passed in which the session played nothing.
  public mutating func silence(seconds count: Int) {
    // Longer than every number of the rule: nothing changes any more.
    for _ in 0..<min(count, 64 + hangover) { second(audible: false) }
  }

  private var countsAsAudible: Bool {
    let window = seconds & ((1 << UInt64(policy.windowSeconds)) - 1)
    return window.nonzeroBitCount >= policy.audibleSeconds
  }
}
