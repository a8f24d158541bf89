@testable import LullPlayer

/// A stream under a test's control: the test decides what it is, and when.
final class FakeStream: Decoding {
  private(set) var state = DecoderState.opening
  private(set) var frame: Int64 = 0
  var shortfall: String?
  var onChange: (() -> Void)?
  var isLive = false
  /// The number of reads that found no frames.
  private(set) var pendings = 0
  private var samples: [Int16] = []
  private var isEnded = false

  /// Sets the description.
  func become(_ state: DecoderState) {
    self.state = state
    onChange?()
  }

  /// Lets frames of two channels arrive; nil: there are no more.
  func receive(_ frames: [Int16]?) {
    if let frames { samples += frames } else { isEnded = true }
    onChange?()
  }

  func read(into buffer: UnsafeMutableBufferPointer<Float>) -> DecodedFrames {
    let frames = min(samples.count / 2, buffer.count / 2)
    guard frames > 0 else {
      if !isEnded { pendings += 1 }
      return isEnded ? .end : .pending
    }
    for (place, value) in samples.prefix(frames * 2).enumerated() {
      unsafe buffer[place] = Float(value) / 32768
    }
    samples.removeFirst(frames * 2)
    frame += Int64(frames)
    return .frames(frames)
  }

  /// A radio has no other place than now.
  func seek(to frame: Int64) throws(DecodeError) {
    guard isLive else { throw .notSeekable }
    self.frame = frame
  }
}
