/// Frames that pass without being filtered, because they are too quiet to matter.
extension MeterChain {
  /// The frames that are compared with `quietPeak` at a time.
  private static let block = 512

  /// Passes the frames that count as zero, up to the first that does not; returns their number.
  mutating func rest(
    _ samples: UnsafePointer<Float>?, frames: Int, ended: inout MeteredTenths
  ) -> Int {
    guard let samples = unsafe samples else {
      pass(frames, &ended)
      return frames
    }
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

  private mutating func pass(_ frames: Int, _ ended: inout MeteredTenths) {
    tenths.pass(frames, &ended)
    phase = (phase + frames) % stretch
  }
}
