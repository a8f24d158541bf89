/// A tenth of a second of a program's sound, as it was heard: whether it was audible on each of two grids
/// (docs/AUDIBILITY.md, "A tenth").
public struct Tenth: Equatable, Sendable {
  /// The tenth that ends now.
  public var even: Bool
  /// The one that ended half a tenth ago.
  public var odd: Bool

  /// A tenth with its two verdicts.
  public init(even: Bool, odd: Bool) { (self.even, self.odd) = (even, odd) }

  /// Nothing was heard.
  public static let silent = Tenth(even: false, odd: false)
}

/// Whether a program is audible, from the tenths of a second of its sound (docs/AUDIBILITY.md, "Audible" and
/// "Hangover").
///
/// A value without a clock: it is told of each tenth once it has been heard, in order. Where the program
/// plays nothing it is told of as many silent tenths as the clock says.
public struct AudibleWindow: Equatable, Sendable {
  private let policy: AudibilityPolicy
  private let silence: Interval?
  /// The last tenths on each grid.
  private var even = Grid()
  private var odd = Grid()
  /// Tenths of the present second that have passed.
  private var tenthOfSecond = 9

  /// Whether the last tenth was audible, and the rule holds with it: the hangover counts from its end.
  public private(set) var isHeard = false

  /// A program of which nothing has been heard; `silence` is the hangover that its owner wants.
  public init(_ policy: AudibilityPolicy = AudibilityPolicy(), silence: Interval? = nil) {
    (self.policy, self.silence) = (policy, silence)
  }

  /// Whether the rule holds for the last tenths. It can go on holding for 10 s after the last sound; what the
  /// hangover counts from is `isHeard`.
  public var isAudible: Bool {
    even.holds(policy, tenthOfSecond) && odd.holds(policy, tenthOfSecond)
  }

  /// Seconds that were heard since the lease began: they earn hangover.
  public var heardSeconds: Double { Double(min(even.heard, odd.heard)) / 10 }

  /// A tenth has been heard.
  public mutating func tenth(_ tenth: Tenth) {
    tenthOfSecond = (tenthOfSecond + 1) % 10
    even.append(tenth.even, policy)
    odd.append(tenth.odd, policy)
    isHeard = (tenth.even || tenth.odd) && isAudible
    guard isHeard else { return }
    if tenth.even { even.heard += 1 }
    if tenth.odd { odd.heard += 1 }
  }

  /// So many tenths have passed in which nothing was heard.
  public mutating func silence(tenths count: Int) {
    guard count > 0 else { return }
    tenthOfSecond = (tenthOfSecond + count % 10) % 10
    even.bits = count < policy.windowTenths ? even.bits << UInt128(count) & Grid.mask(policy) : 0
    odd.bits = count < policy.windowTenths ? odd.bits << UInt128(count) & Grid.mask(policy) : 0
    isHeard = false
  }

  /// The lease has ended: what was heard before it earns nothing more.
  public mutating func forget() { (even.heard, odd.heard) = (0, 0) }

  /// How long the lease lasts from the end of the last tenth with `isHeard`, in seconds. `running`: a session
  /// of the program goes on playing; `spoken`: one that does declares spoken content.
  public func hangover(running: Bool, spoken: Bool) -> Double {
    let stopped = Double(policy.hangoverSeconds)
    if let silence { return running ? silence.seconds : min(stopped, silence.seconds) }
    guard running else { return stopped }
    let earned = stopped + heardSeconds / Double(policy.earningSeconds)
    return max(
      min(earned, Double(policy.longestHangoverSeconds)), spoken ? Double(policy.spokenHangoverSeconds) : 0)
  }

  private struct Grid: Equatable, Sendable {
    /// The last tenths, the newest in bit 0.
    var bits: UInt128 = 0
    /// Tenths that were heard since the lease began.
    var heard = 0

    static func mask(_ policy: AudibilityPolicy) -> UInt128 { 1 << UInt128(policy.windowTenths) - 1 }

    mutating func append(_ audible: Bool, _ policy: AudibilityPolicy) {
      bits = (bits << 1 | (audible ? 1 : 0)) & Self.mask(policy)
    }

    /// Enough of the tenths are audible, in enough seconds; the newest is the `tenth` one of its second.
    func holds(_ policy: AudibilityPolicy, _ tenth: Int) -> Bool {
      guard bits.nonzeroBitCount >= policy.audibleTenths else { return false }
      let newest = bits.trailingZeroBitCount
      let oldest = UInt128.bitWidth - 1 - bits.leadingZeroBitCount
      return (oldest + 9 - tenth) / 10 > (newest + 9 - tenth) / 10
    }
  }
}
