internal import LullEngine
internal import LullSystem

/// From the energy of filtered frames to audible seconds (docs/AUDIBILITY.md, "Level" to "Audible second").
///
/// Sub-blocks are counted on two grids, the second half a sub-block behind the first, and the lesser count
/// decides: a tick that lies across the border of two sub-blocks on one grid lies inside one on the other.
struct MeterSeconds {
  private let rate: Int
  /// Halves of sub-blocks in a second.
  private let halves: Int
  private let audibleSubBlocks: Int
  /// The mean squares of the two thresholds.
  private let onPower: Double
  private let offPower: Double
  private let levelOffset: Double
  /// Outputs of the low-pass in a sub-block.
  private let outputs: Double

  /// The frame that comes next, counted from the beginning of its second. Negative where the filters go
  /// back to frames that counted as silence.
  var position = 0
  /// The half of a sub-block that is being measured, and the frame at which it ends.
  private var half = 0
  private(set) var end: Int
  /// Of this half and of the one before.
  private var energy = 0.0
  private var energyBefore = 0.0
  private var grids = (even: Grid(), odd: Grid())
  /// The mean square of the last sub-block.
  private(set) var power = 0.0

  private struct Grid {
    var isOn = false
    var audible = 0

    mutating func count(isAbove on: Bool, _ off: Bool) {
      isOn = isOn ? off : on
      if isOn { audible += 1 }
    }
  }

  init(rate: Int, decimation: Int, policy: AudibilityPolicy) {
    self.rate = rate
    halves = 2 * max(1, policy.subBlocks)
    audibleSubBlocks = policy.audibleSubBlocks
    onPower = Mathematics.power(decibels: policy.onLevel - policy.levelOffset)
    offPower = Mathematics.power(decibels: policy.offLevel - policy.levelOffset)
    levelOffset = policy.levelOffset
    outputs = 2 * Double(rate) / Double(halves * decimation)
    end = rate / halves
  }

  /// LB of the last sub-block in hundredths of a decibel; nil for silence.
  var level: Int32? {
    guard power > 1e-30 else { return nil }
    return Int32((100 * (levelOffset + Mathematics.decibels(power: power))).rounded())
  }

  @inline(__always)
  mutating func add(_ energy: SIMD2<Double>) { self.energy += energy.x + energy.y }

  /// So many frames have gone by, and their energy has been added.
  @inline(__always)
  mutating func pass(_ frames: Int, _ ended: inout MeteredSeconds) {
    position += frames
    while position >= end { closeHalf(&ended) }
  }

  private mutating func closeHalf(_ ended: inout MeteredSeconds) {
    power = (energyBefore + energy) / outputs
    (energyBefore, energy) = (energy, 0)
    let (on, off) = (power >= onPower, power >= offPower)
    if half % 2 == 0 { grids.even.count(isAbove: on, off) } else { grids.odd.count(isAbove: on, off) }
    half += 1
    if half == halves { closeSecond(&ended) }
    end = (half + 1) * rate / halves
  }

  private mutating func closeSecond(_ ended: inout MeteredSeconds) {
    ended.append(audible: min(grids.even.audible, grids.odd.audible) >= audibleSubBlocks)
    (half, grids.even.audible, grids.odd.audible) = (0, 0, 0)
    position -= rate
  }
}
