internal import LullModel

/// The ring's size in frames.
struct BufferSize {
  static let longest = Double(Bounds.ringSeconds)
  private static let fewest = 64
  let frames: Int
  let lowWater: Int?

  init(_ buffer: AudioSession.Buffer, rate: Int) throws(LullError) {
    switch buffer {
    case .shallow(let seconds):
      frames = try BufferSize.frames(seconds, rate)
      lowWater = nil
    case .deep(let seconds, let low):
      frames = try BufferSize.frames(seconds, rate)
      guard low > 0, low < seconds else {
        throw .refused("a low-water mark of \(low) s: more than 0 and less than \(seconds) are possible")
      }
      lowWater = max(1, Int(low * Double(rate)))
    }
  }

  private static func frames(_ seconds: Double, _ rate: Int) throws(LullError) -> Int {
    guard seconds > 0, seconds <= longest else {
      throw .refused("a buffer of \(seconds) s: more than 0 and at most 30 are possible")
    }
    return max(fewest, Int((seconds * Double(rate)).rounded()))
  }
}
