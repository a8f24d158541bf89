package import LullEngine
internal import LullSystem

/// The tenths of a second from the energy of filtered frames (docs/AUDIBILITY.md, "Level" and "A tenth").
///
/// Energy is summed for halves of a tenth, of which two make a tenth on the one grid or on the other.
struct MeterTenths {
  private let rate: Int
  private let low: Thresholds
  private let high: Thresholds
  private let levelOffset: Double
  private let outputs: Double

  /// Halves of a tenth in a second.
  private static let halves = 20

  /// The next frame, counted from the beginning of its second. Negative when the filters go back to frames
  /// that counted as silence.
  var position = 0
  /// The half that is being measured, and the frame at which it ends.
  private var half = 0
  private(set) var end: Int
  /// The energy of this half, and of the half before.
  private var energy = Energy()
  private var energyBefore = Energy()
  /// The last verdict on each grid.
  private var newest = Tenth.silent
  /// The mean square of the last tenth's low band.
  private var power = 0.0

  private struct Energy {
    var low = 0.0
    var high = 0.0
  }

  /// The energies at which a tenth becomes audible (`on`) and stays so (`off`).
  private struct Thresholds {
    let on: Double
    let off: Double
  }

  init(rate: Int, decimation: Int, policy: AudibilityPolicy) {
    self.rate = rate
    let outputs = Double(rate) / Double(10 * decimation)
    func energy(_ level: Double) -> Double {
      Mathematics.power(decibels: level - policy.levelOffset) * outputs
    }
    low = Thresholds(on: energy(policy.onLevel), off: energy(policy.offLevel))
    high = Thresholds(on: energy(policy.highOnLevel), off: energy(policy.highOffLevel))
    levelOffset = policy.levelOffset
    self.outputs = outputs
    end = rate / Self.halves
  }

  /// The level LB of the last tenth's low band in hundredths of a decibel; nil for silence.
  var level: Int32? {
    guard power > 1e-30 else { return nil }
    return Int32((100 * (levelOffset + Mathematics.decibels(power: power))).rounded())
  }

  /// This half alone makes both its tenths audible, so that its high band does not matter any more.
  @inline(__always)
  var isDecided: Bool { energy.low >= low.on || energy.high >= high.on }

  @inline(__always)
  mutating func add(low energy: SIMD2<Double>) { self.energy.low += energy.x + energy.y }

  @inline(__always)
  mutating func add(high energy: Double) { self.energy.high += energy }

  /// Advances by frames whose energy has been added, and closes the halves that ended.
  @inline(__always)
  mutating func pass(_ frames: Int, _ ended: inout MeteredTenths) {
    position += frames
    while position >= end { closeHalf(&ended) }
  }

  private mutating func closeHalf(_ ended: inout MeteredTenths) {
    let sum = (low: energyBefore.low + energy.low, high: energyBefore.high + energy.high)
    (energyBefore, energy, power) = (energy, Energy(), sum.low / outputs)
    let isEven = half % 2 == 1
    let wasAudible = isEven ? newest.even : newest.odd
    let isAudible =
      sum.low >= (wasAudible ? low.off : low.on) || sum.high >= (wasAudible ? high.off : high.on)
    if isEven {
      newest.even = isAudible
      ended.append(newest)
    } else {
      newest.odd = isAudible
    }
    half += 1
    if half == Self.halves { (half, position) = (0, position - rate) }
    end = (half + 1) * rate / Self.halves
  }
}

/// The tenths of a second that ended in the measured frames, the oldest first. Of more than 64 with sound
/// only the last 64 are told.
package struct MeteredTenths: Sequence, IteratorProtocol, Equatable, Sendable {
  /// So many tenths stand in `even` and `odd`, the newest in bit 0.
  private var told = 0
  private var even: UInt64 = 0
  private var odd: UInt64 = 0
  /// The silent tenths behind them.
  private var silent = 0

  package init() {}

  package var count: Int { told + silent }

  mutating func append(_ tenth: Tenth) {
    guard tenth != .silent else {
      silent += 1
      return
    }
    let shift = silent + 1
    (even, odd) = (even << shift | (tenth.even ? 1 : 0), odd << shift | (tenth.odd ? 1 : 0))
    (told, silent) = (Swift.min(told + shift, 64), 0)
  }

  package mutating func next() -> Tenth? {
    if told > 0 {
      told -= 1
      return Tenth(even: even >> told & 1 == 1, odd: odd >> told & 1 == 1)
    }
    guard silent > 0 else { return nil }
    silent -= 1
    return .silent
  }
}
