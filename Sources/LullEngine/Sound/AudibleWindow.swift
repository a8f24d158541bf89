/// The audibility of a tenth of a second on each of two grids (docs/AUDIBILITY.md, "A tenth").
public struct Tenth: Equatable, Sendable {
  /// The tenth that ends now is audible.
  public var even: Bool
  /// The tenth that ended half a tenth ago is audible.
  public var odd: Bool

  /// A tenth with its audibility on both grids.
  public init(even: Bool, odd: Bool) { (self.even, self.odd) = (even, odd) }

  /// A tenth without audible sound.
  public static let silent = Tenth(even: false, odd: false)
}

/// The audibility of a program, by the tenths of a second of its sound (docs/AUDIBILITY.md, "Audible" and
/// "Hangover").
///
/// A value without a clock: the caller adds each tenth once it has been played, in order. Where the program
/// plays nothing, the caller adds as many silent tenths as the clock says.
public struct AudibleWindow: Equatable, Sendable {
  private let policy: AudibilityPolicy
  private let silence: Interval?
  private var even = Grid()
  private var odd = Grid()
  /// The place of the last tenth in the present second.
  private var tenthOfSecond = 9

  /// The tenths since the last one with `isHeard`, as far as they matter.
  private var silentTenths = 0
  private static let longSilence = 1_000_000

  /// True when the last tenth was audible, and the rule holds with it: the hangover counts from its end.
  public private(set) var isHeard = false

  /// A program without sound so far; `silence` is the hangover that its owner wants.
  public init(_ policy: AudibilityPolicy = AudibilityPolicy(), silence: Interval? = nil) {
    (self.policy, self.silence) = (policy, silence)
  }

  /// True when the rule holds for the last tenths. The rule can go on holding for 10 s after the last sound;
  /// the hangover counts from `isHeard`.
  public var isAudible: Bool {
    even.holds(policy, tenthOfSecond) && odd.holds(policy, tenthOfSecond)
  }

  /// Seconds with `isHeard` since the lease began whose hangover is not spent.
  public var heardSeconds: Double { Double(min(even.heard, odd.heard)) / 10 }

  /// Adds a tenth that has been played.
  public mutating func tenth(_ tenth: Tenth) {
    tenthOfSecond = (tenthOfSecond + 1) % 10
    even.append(tenth.even, policy)
    odd.append(tenth.odd, policy)
    isHeard = (tenth.even || tenth.odd) && isAudible
    guard isHeard else { return rest(1) }
    spend()
    even.earn(tenth.even ? 1 : 0, policy)
    odd.earn(tenth.odd ? 1 : 0, policy)
    silentTenths = 0
  }

  /// Silence within the hangover of every program does not count; longer silence uses up what was earned.
  private mutating func spend() {
    let spent = max(0, silentTenths - 10 * policy.hangoverSeconds) * policy.earningSeconds
    (even.heard, odd.heard) = (max(0, even.heard - spent), max(0, odd.heard - spent))
  }

  /// The silence of the window that was heard earlier is spent. `isLater`: the other window was heard later
  /// than this one.
  package mutating func takeOver(_ other: AudibleWindow, isLater: Bool) {
    var (later, earlier) = isLater ? (other, self) : (self, other)
    earlier.spend()
    later.even.earn(earlier.even.heard, policy)
    later.odd.earn(earlier.odd.heard, policy)
    (even.heard, odd.heard, silentTenths) = (later.even.heard, later.odd.heard, later.silentTenths)
  }

  /// Adds this number of silent tenths.
  public mutating func silence(tenths count: Int) {
    guard count > 0 else { return }
    rest(count)
    tenthOfSecond = (tenthOfSecond + count % 10) % 10
    even.bits = count < policy.windowTenths ? even.bits << UInt128(count) & Grid.mask(policy) : 0
    odd.bits = count < policy.windowTenths ? odd.bits << UInt128(count) & Grid.mask(policy) : 0
    isHeard = false
  }

  private mutating func rest(_ count: Int) {
    silentTenths = min(silentTenths + min(count, Self.longSilence), Self.longSilence)
  }

  /// Forgets the seconds with `isHeard` at the end of the lease: they earn nothing more.
  public mutating func forget() { (even.heard, odd.heard) = (0, 0) }

  /// The length of the lease from the end of the last tenth with `isHeard`, in seconds. `running`: a session
  /// of the program goes on playing; `spoken`: a running session declares spoken content.
  public func hangover(running: Bool, spoken: Bool) -> Double {
    let stopped = Double(policy.hangoverSeconds)
    if let silence { return running ? silence.seconds : min(stopped, silence.seconds) }
    guard running else { return stopped }
    let earned = stopped + heardSeconds / Double(policy.earningSeconds)
    return max(earned, spoken ? Double(policy.spokenHangoverSeconds) : 0)
  }

  private struct Grid: Equatable, Sendable {
    /// The last tenths, the newest in bit 0.
    var bits: UInt128 = 0
    /// Audible tenths with `isHeard` since the lease began that still earn.
    var heard = 0

    static func mask(_ policy: AudibilityPolicy) -> UInt128 { 1 << UInt128(policy.windowTenths) - 1 }

    mutating func append(_ audible: Bool, _ policy: AudibilityPolicy) {
      bits = (bits << 1 | (audible ? 1 : 0)) & Self.mask(policy)
    }

    mutating func earn(_ tenths: Int, _ policy: AudibilityPolicy) {
      let longest = 10 * (policy.longestHangoverSeconds - policy.hangoverSeconds) * policy.earningSeconds
      heard = min(heard + tenths, max(0, longest))
    }

    /// The newest tenth has the number `tenth` in its second.
    func holds(_ policy: AudibilityPolicy, _ tenth: Int) -> Bool {
      let (count, seconds) = (bits.nonzeroBitCount, seconds(tenth))
      return count >= policy.audibleTenths && seconds >= policy.audibleSeconds
        || count >= policy.sparseTenths && seconds >= policy.sparseSeconds
    }

    private func seconds(_ tenth: Int) -> Int {
      // The newest second has had `tenth + 1` tenths so far.
      var (rest, length, count) = (bits, tenth + 1, 0)
      while rest != 0 {
        if rest.trailingZeroBitCount < length { count += 1 }
        (rest, length) = (rest >> UInt128(length), 10)
      }
      return count
    }
  }
}

/// A report of lull-audio about the sound of a program (`AudibleWindow`).
public enum AudibilityReport: Equatable, Sendable {
  /// The sum of its sessions is audible.
  case sounding
  /// The sum of its sessions is not audible any more; the interval is the rest of the hangover.
  case quiet(Interval)
}
