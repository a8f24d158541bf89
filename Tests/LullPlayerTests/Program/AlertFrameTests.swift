import LullModel
import LullPlayer
import TestSupport
import Testing

@testable import lull_player

/// What a notification sounds like, frame by frame.
@Suite(.bounded) struct AlertFrameTests {
  private func samples(of sound: some Decoding, isCall: Bool) -> [Float] {
    let alert = AlertSound(sound, isCall: isCall)
    var all: [Float] = []
    while true {
      var part = [Float](repeating: 1, count: 1000)
      let outcome = unsafe part.withUnsafeMutableBufferPointer { unsafe alert.read(into: $0) }
      guard case .frames(let count) = outcome else { return all }
      all += part[..<count]
    }
  }

  @Test func `a call rings for a minute, and is silent in between`() {
    let ringtone = samples(of: ToneSound(true), isCall: true)
    #expect(ringtone.count == 60 * 48_000)
    let cycle = ringtone[..<(3 * 48_000)]
    #expect(ringtone[(57 * 48_000)...].elementsEqual(cycle))
    #expect(cycle[(2 * 48_000)...].allSatisfy { $0 == 0 })
  }

  @Test func `a chime is heard once`() {
    let chime = samples(of: ToneSound(false), isCall: false)
    #expect(chime.count < 48_000)
  }

  @Test(arguments: [true, false])
  func `the tones are moderate, and neither begin nor end with a click`(isCall: Bool) {
    let sound = samples(of: ToneSound(isCall), isCall: isCall)
    #expect(sound.first == 0 && abs(sound.last ?? 1) < 0.001)
    let peak = sound.map(abs).max() ?? 0
    #expect((0.1...0.4).contains(peak), "\(peak)")
    // The steepest step of a sine of 3.2 kHz at a tenth of the peak, and no more.
    let step = zip(sound, sound.dropFirst()).map { abs($0 - $1) }.max() ?? 1
    #expect(step < 0.08, "\(step)")
  }

  @Test func `a short sound of a call is heard every three seconds`() {
    let sound = FixedSound(frames: 100)
    let ringtone = samples(of: sound, isCall: true)
    let begins = ringtone.indices.filter { ringtone[$0] == 1 }
    #expect(begins == stride(from: 0, to: 60 * 8000, by: 3 * 8000).map { $0 })
  }

  @Test func `a sound without an end is heard for half a minute`() {
    #expect(samples(of: FixedSound(frames: .max), isCall: false).count == 30 * 8000)
  }

  @Test func `a call whose sound gives nothing more is silent, and ends`() {
    let ringtone = samples(of: FixedSound(frames: 0), isCall: true)
    #expect(ringtone.count <= 60 * 8000 && ringtone.allSatisfy { $0 == 0 })
  }

  @Test(arguments: [
    ("/none/such.wav", "no such file"), ("/dev/zero", "not a regular file"), ("/", "not a regular file"),
    ("/etc/passwd", "Format not recognised"),
  ])
  func `a file that is no sound is told why`(path: String, reason: String) throws {
    let error = #expect(throws: DecodeError.self) {
      _ = try AlertSound(path: Array(path.utf8), isCall: true)
    }
    #expect(error?.description.hasPrefix(reason) == true, "\(String(describing: error))")
  }
}

/// A first sample of 1, then halves.
private final class FixedSound: Decoding {
  let state: DecoderState
  var onChange: (() -> Void)?
  private let frames: Int
  private var place = 0

  init(frames: Int) {
    guard let format = FrameFormat(rate: 8000, channels: 1, sample: .f32) else { preconditionFailure() }
    (state, self.frames) = (.ready(MediaDescription(format: format)), frames)
  }

  var frame: Int64 { Int64(place) }

  func read(into samples: UnsafeMutableBufferPointer<Float>) -> DecodedFrames {
    let count = min(frames - place, samples.count)
    for index in 0..<count { unsafe samples[index] = place + index == 0 ? 1 : 0.5 }
    place += count
    return count > 0 ? .frames(count) : .end
  }

  func seek(to frame: Int64) { place = Int(frame) }
}
