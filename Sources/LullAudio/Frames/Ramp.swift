/// A value that goes to its target in a straight line. Places are frames of any timeline; the value at a
/// place is a function of the place alone, so that frames rendered once more come out the same.
struct Ramp: Equatable {
  private var start: UInt64
  private var frames: UInt64
  private var from: Float
  private(set) var target: Float

  init(_ value: Float) {
    (start, frames, from, target) = (0, 0, value, value)
  }

  func value(at place: UInt64) -> Float {
    if place >= end { return target }
    if place <= start { return from }
    return from + (target - from) * Float(place - start) / Float(frames)
  }

  var end: UInt64 { start + frames }

  func hasBegun(at place: UInt64) -> Bool { place >= start }

  mutating func go(to value: Float, from place: UInt64, in frames: Int) {
    guard value != target else { return }
    from = self.value(at: place)
    (start, self.frames, target) = (place, UInt64(max(0, frames)), value)
  }

  /// Moves the beginning forward to a place if it lies behind: the frames from there on are rendered anew.
  mutating func pull(to place: UInt64) { start = min(start, place) }

  /// The first of the interleaved frames stands at `place`.
  func apply(to samples: UnsafeMutablePointer<Float>, frames count: Int, channels: Int, at place: UInt64) {
    let steady = place >= end ? target : (place + UInt64(count) <= start ? from : nil)
    if let steady {
      guard steady != 1 else { return }
      for index in 0..<count * channels { unsafe samples[index] *= steady }
      return
    }
    for frame in 0..<count {
      let factor = value(at: place + UInt64(frame))
      for channel in 0..<channels { unsafe samples[frame * channels + channel] *= factor }
    }
  }
}
