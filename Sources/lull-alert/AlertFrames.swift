import Lull

/// The frames of an alert from its beginning to its end: a sound once, or again and again.
struct AlertFrames {
  /// Seconds: the longest time for which a call rings, and the time from one beginning of a short sound to
  /// the next.
  private static let longestRinging = 60, shortestCycle = 3

  private let sound: any AlertSound
  private let isCall: Bool
  /// The frames that are left until the alert is over.
  private var left: Int
  /// The frames since the sound began last.
  private var place = 0

  init(_ sound: any AlertSound, isCall: Bool) {
    (self.sound, self.isCall) = (sound, isCall)
    left = (isCall ? AlertFrames.longestRinging : Int(FileSound.longest)) * sound.format.rate
  }

  var format: AudioFormat { sound.format }

  /// Reads whole frames; returns their number, 0 at the end.
  mutating func read(into buffer: UnsafeMutableRawBufferPointer) -> Int {
    let bytes = min(buffer.count / format.frameBytes, left) * format.frameBytes
    guard bytes > 0 else { return 0 }
    let count = unsafe next(UnsafeMutableRawBufferPointer(rebasing: buffer[..<bytes]))
    left -= count
    return count
  }

  private mutating func next(_ buffer: UnsafeMutableRawBufferPointer) -> Int {
    let count = unsafe sound.read(into: buffer)
    place += count
    guard count == 0, isCall else { return count }
    // Samples of every format that a sound has are silent at nought.
    let pause = min(buffer.count / format.frameBytes, AlertFrames.shortestCycle * format.rate - place)
    guard pause <= 0 else {
      unsafe buffer.initializeMemory(as: UInt8.self, repeating: 0)
      place += pause
      return pause
    }
    guard place > 0, sound.rewind() else { return 0 }
    place = 0
    return unsafe next(buffer)
  }
}
