import LullAudio
import LullEngine

/// A row of the table: the sound that is played for 30 s, and its audibility.
struct Row {
  enum Expected {
    case never
    /// Audible from that second on, to the end without a gap. The start grace holds for sound that begins
    /// within 12 s.
    case from(Double)
  }

  enum Outcome: Equatable {
    case holds
    /// The rate has no such frequency.
    case cannotCarry
    case fails(String)
  }

  let name: String
  let expected: Expected
  /// The part that is played again and again: a sound from its beginning for so many seconds, then silence
  /// for so many.
  let pieces: [(sound: Sound, on: Double, off: Double)]
  /// The silence before the sound begins, in seconds.
  let start: Double
  /// The highest frequency in it, in Hz: a rate must be more than twice as high to carry it.
  let highest: Double
  let channels: Int

  static let seconds = 30

  init(
    _ sound: Sound, _ expected: Expected, highest: Double = 0, channels: Int = 2
  ) {
    (name, self.expected, pieces) = (sound.name, expected, [(sound, sound.period, 0)])
    (start, self.highest, self.channels) = (0, highest, channels)
  }

  /// The sound in a rhythm: seconds on and off in turn.
  init(_ name: String, sound: Sound, expected: Expected, rhythm: [Double], start: Double = 0) {
    self.name = "\(name): \(sound.name)" + (start > 0 ? ", from \(start) s" : "")
    self.expected = expected
    pieces = stride(from: 0, to: rhythm.count, by: 2).map { (sound, rhythm[$0], rhythm[$0 + 1]) }
    (self.start, highest, channels) = (start, 0, 2)
  }

  func outcome(rate: Int) -> Outcome {
    guard 2 * highest < Double(rate) else { return .cannotCarry }
    let audible = audible(rate: rate)
    guard audible.count >= 10 * Self.seconds - 1 else { return .fails("\(audible.count) tenths told") }
    let holds =
      switch expected {
      case .never: !audible.contains(true)
      case .from(let second): !audible.dropFirst(Int(10 * second)).contains(false)
      }
    let first = audible.firstIndex(of: true).map { ", first after \(Double($0 + 1) / 10) s" } ?? ""
    return holds ? .holds : .fails("audible in \(audible.count { $0 }) of \(audible.count) tenths\(first)")
  }

  /// The audibility of the program after each tenth.
  private func audible(rate: Int) -> [Bool] {
    var meter = Meter(rate: rate, channels: channels)
    var window = AudibleWindow()
    var audible: [Bool] = []
    play(rate: rate) { frames in
      for tenth in unsafe frames.withUnsafeBufferPointer({ unsafe meter.process($0) }) {
        window.tenth(tenth)
        audible.append(window.isAudible)
      }
    }
    return audible
  }

  /// Gives all frames, at most 10 ms at a time.
  private func play(rate: Int, _ hear: (ArraySlice<Float>) -> Void) {
    let silence = [Float](repeating: 0, count: rate / 100 * channels)
    var left = Self.seconds * rate
    func give(_ loop: [Float], seconds: Double) {
      var (frames, place) = (min(left, Int((seconds * Double(rate)).rounded())), 0)
      left -= frames
      while frames > 0 {
        let count = min(frames, rate / 100, loop.count / channels - place)
        hear(loop[place * channels..<(place + count) * channels])
        frames -= count
        place = (place + count) % (loop.count / channels)
      }
    }
    let loops = pieces.map { $0.sound.frames(rate: rate, channels: channels) }
    give(silence, seconds: start)
    while left > 0 {
      for (piece, loop) in zip(pieces, loops) {
        give(loop, seconds: piece.on)
        give(silence, seconds: piece.off)
      }
    }
  }
}
