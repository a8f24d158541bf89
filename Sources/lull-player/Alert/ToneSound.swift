import Lull
import LullPlayer
import LullSystem

/// The sound that Lull makes itself: a few soft notes.
final class ToneSound: Decoding {
  private struct Note {
    /// Seconds.
    let start: Double
    let length: Double
    /// Hertz.
    let frequency: Double
  }

  private static let rate = 48_000
  /// The peak of a note: -14 dBFS.
  private static let peak = 0.2
  /// The seconds in which a note swells: without them it would click.
  private static let attack = 0.006
  /// The overtones, with their share of the note.
  private static let partials: [(multiple: Double, share: Double)] = [
    (1, 0.72), (2, 0.2), (3, 0.08),
  ]

  /// Two pairs of two notes, then a pause: three seconds in all.
  private static let ringtone = [(0.0, 659.26), (0.22, 523.25), (0.7, 659.26), (0.92, 523.25)].map {
    Note(start: $0.0, length: 0.42, frequency: $0.1)
  }
  private static let ringtoneLength = 3.0
  /// One pair of notes that rise.
  private static let chime = [
    Note(start: 0, length: 0.3, frequency: 783.99),
    Note(start: 0.13, length: 0.6, frequency: 1046.5),
  ]
  private static let chimeLength = 0.75

  let state: DecoderState
  var onChange: (() -> Void)?
  private let samples: [Float]
  private var place = 0

  init(_ isCall: Bool) {
    guard let format = AudioFormat(rate: ToneSound.rate, channels: 1, sample: .f32) else {
      preconditionFailure("every session takes this format")
    }
    state = .ready(MediaDescription(format: format))
    samples =
      isCall
      ? ToneSound.render(ToneSound.ringtone, seconds: ToneSound.ringtoneLength)
      : ToneSound.render(ToneSound.chime, seconds: ToneSound.chimeLength)
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
