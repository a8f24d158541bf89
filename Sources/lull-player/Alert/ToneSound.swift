import Lull
import LullPlayer
import LullSystem

/// The sound that Lull makes itself: a few soft notes.
final class ToneSound: Decoding {
  /// Seconds, and Hertz.
  private typealias Note = (start: Double, length: Double, frequency: Double)

  private static let rate = 48_000
  /// The peak of a note: -14 dBFS.
  private static let peak = 0.2
  /// The seconds in which a note swells: without them it would click.
  private static let attack = 0.006
  /// The overtones, with their share of the note.
  private static let partials: [(multiple: Double, share: Double)] = [(1, 0.72), (2, 0.2), (3, 0.08)]

  /// Two pairs of two notes, then a pause.
  private static let ringtone: [Note] = [
    (0, 0.42, 659.26), (0.22, 0.42, 523.25), (0.7, 0.42, 659.26), (0.92, 0.42, 523.25),
  ]
  /// One pair of notes that rise.
  private static let chime: [Note] = [(0, 0.3, 783.99), (0.13, 0.6, 1046.5)]

  let state: DecoderState
  var onChange: (() -> Void)?
  private let samples: [Float]
  private var place = 0

  init(_ isCall: Bool) {
    guard let format = AudioFormat(rate: ToneSound.rate, channels: 1, sample: .f32) else {
      preconditionFailure("every session takes this format")
    }
    state = .ready(MediaDescription(format: format))
    samples = isCall ? Self.render(Self.ringtone, seconds: 3) : Self.render(Self.chime, seconds: 0.75)
  }

  var frame: Int64 { Int64(place) }

  func read(into buffer: UnsafeMutableBufferPointer<Float>) -> DecodedFrames {
    let count = min(buffer.count, samples.count - place)
    unsafe _ = buffer.update(fromContentsOf: samples[place..<place + count])
    place += count
    return count > 0 ? .frames(count) : .end
  }

  func seek(to frame: Int64) { place = Int(frame) }

  private static func render(_ notes: [Note], seconds: Double) -> [Float] {
    var samples = [Float](repeating: 0, count: Int(seconds * Double(rate)))
    for note in notes {
      let first = Int(note.start * Double(rate))
      for index in 0..<Int(note.length * Double(rate)) {
        samples[first + index] += Float(value(of: note, at: Double(index) / Double(rate)))
      }
    }
    return samples
  }

  /// A note swells at once and dies away like a struck bar; it ends at nought.
  private static func value(of note: Note, at time: Double) -> Double {
    let left = 1 - time / note.length
    let envelope = min(1, time / attack) * left * left
    let wave = partials.reduce(0) { sum, partial in
      sum + partial.share * Mathematics.sine(2 * .pi * note.frequency * partial.multiple * time)
    }
    return peak * envelope * wave
  }
}
