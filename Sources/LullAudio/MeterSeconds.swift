internal import LullEngine
internal import LullSystem

/// From the energy of filtered frames to audible seconds (docs/AUDIBILITY.md, "Level" to "Audible second").
struct MeterSeconds {
  private let rate: Int
  private let subBlocks: Int
  private let audibleSubBlocks: Int
  /// The mean squares of the two thresholds.
  private let onPower: Double
  private let offPower: Double
  private let levelOffset: Double
  /// Outputs of the low-pass in a sub-block.
  private let outputs: Double

  /// The frame that comes next, counted from the beginning of its second. Negative where the filters go back to
  /// frames that counted as silence.
  var position = 0
  /// The sub-block of the second, and the frame at which it ends.
  private var subBlock = 0
  private(set) var end: Int
  private var energy = 0.0
  private var isOn = false
  private var audible = 0
  /// Of the last sub-block.
  private(set) var power = 0.0

  init(rate: Int, decimation: Int, policy: AudibilityPolicy) {
    self.rate = rate
    subBlocks = max(1, policy.subBlocks)
    audibleSubBlocks = policy.audibleSubBlocks
    onPower = Mathematics.power(decibels: policy.onLevel - policy.levelOffset)
    offPower = Mathematics.power(decibels: policy.offLevel - policy.levelOffset)
    levelOffset = policy.levelOffset
    outputs = Double(rate) / Double(subBlocks * decimation)
    end = rate / subBlocks
  }

  /// LB of the last sub-block in hundredths of a decibel; nil for silence.
  var level: Int32? {
    guard power > 1e-30 else { return nil }
    return Int32((100 * (levelOffset + Mathematics.decibels(power: power))).rounded())
  }

  @inline(__always)
  mutating func add(_ energy: SIMD2<Double>) { self.energy += energy.x + energy.y }

  /// `frames` in which nothing is audible.
  mutating func skip(_ frames: Int, ended: inout MeteredSeconds) {
    position += frames
    while position >= end { close(&ended) }
  }

  /// The frames before `end` have all been added.
  mutating func close(_ ended: inout MeteredSeconds) {
    power = energy / outputs
    energy = 0
    isOn = power >= (isOn ? offPower : onPower)
    if isOn { audible += 1 }
    subBlock += 1
    if subBlock == subBlocks {
      ended.append(audible: audible >= audibleSubBlocks)
      (subBlock, audible) = (0, 0)
      position -= rate
    }
    end = (subBlock + 1) * rate / subBlocks
  }
}
