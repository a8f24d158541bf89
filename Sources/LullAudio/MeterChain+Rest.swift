/// What goes by without being filtered, because it is too quiet to matter.
extension MeterChain {
  /// Frames that are looked at together.
  private static let block = 512

  /// Lets frames go by that count as zero, and returns how many did: up to the first that does not.
  mutating func rest(
    _ samples: UnsafePointer<Float>, _ frames: Int, _ ended: inout MeteredSeconds
  ) -> Int {
    var quiet = 0
    while quiet < frames {
      let count = min(Self.block, frames - quiet) &* channels
      guard unsafe MeterKernels.isQuiet(samples + quiet &* channels, count: count, peak: quietPeak) else {
        break
      }
      quiet = min(quiet + Self.block, frames)
    }
    while quiet < frames,
      unsafe MeterKernels.isQuiet(samples + quiet &* channels, count: channels, peak: quietPeak)
    {
      quiet += 1
    }
    pass(quiet, &ended)
    return quiet
  }

  /// The same for frames of 16 bits with so many channels, in steps of a block; none unless the filters rest.
  mutating func skipQuiet(
    _ samples: UnsafePointer<Int16>, frames: Int, channels: Int
  ) -> (frames: Int, ended: MeteredSeconds) {
    var ended = MeteredSeconds()
    guard isResting else { return (0, ended) }
    let peak = Int16(quietPeak * 32768)
    var quiet = 0
    while quiet < frames {
      let count = min(Self.block, frames - quiet) &* channels
      guard unsafe MeterKernels.isQuiet(samples + quiet &* channels, count: count, peak: peak) else { break }
      quiet = min(quiet + Self.block, frames)
    }
    pass(quiet, &ended)
    return (quiet, ended)
  }

  private mutating func pass(_ frames: Int, _ ended: inout MeteredSeconds) {
    seconds.pass(frames, &ended)
    phase = (phase + frames) % stretch
  }
}
