import Fuzzing
import LullAudio
import LullEngine
import TestSupport
import Testing

@Suite(.bounded(seconds: 300)) struct MeterTests {
  /// The level of the second 100 ms, in decibels.
  private func level(_ tone: Tone, rate: Int) -> Double {
    var meter = Meter(rate: rate, channels: 2)
    _ = meter.measure(tone.frames(seconds: 0.2, rate: rate), channels: 2)
    return meter.level.map { Double($0) / 100 } ?? -.infinity
  }

  /// True when the high band alone has this level in the last 100 ms.
  private func isAbove(_ level: Double, _ tone: Tone, rate: Int, seconds: Double = 0.21) -> Bool {
    isAbove(level, tone.frames(seconds: seconds, rate: rate), rate: rate)
  }

  private func isAbove(_ level: Double, _ samples: [Float], rate: Int) -> Bool {
    var policy = AudibilityPolicy()
    (policy.onLevel, policy.offLevel) = (100, 100)
    (policy.highOnLevel, policy.highOffLevel) = (level, level)
    var meter = Meter(rate: rate, channels: 2, policy: policy)
    return meter.measure(samples, channels: 2).last?.even == true
  }

  // MARK: Filters

  private static let rates = [8000, 11_025, 16_000, 22_050, 44_100, 48_000, 96_000, 176_400, 192_000]

  @Test(arguments: rates)
  func `what is heard passes, and what is not is stopped`(rate: Int) {
    for frequency in [200.0, 440, 3000, 5000] where frequency < 0.45 * Double(rate) {
      // A sine's mean square is 3.01 dB below its peak; two channels make up for it.
      #expect(abs(level(Tone(frequency, -10), rate: rate) + 10.691) < 0.1, "\(frequency) Hz")
    }
    #expect(abs(level(Tone(120, -10), rate: rate) + 13.70) < 0.15)
    #expect(level(Tone(30, 0), rate: rate) < -70)
    #expect(level(Tone(20, 0), rate: rate) < -90)
    for frequency in [8600.0, 10_000, 17_000, 21_000, 90_000] where frequency < 0.49 * Double(rate) {
      #expect(level(Tone(frequency, 0), rate: rate) < -80, "\(frequency) Hz")
    }
  }

  @Test(arguments: rates)
  func `the high band is flat from 7 to 14 kHz, and what lies above 17 kHz or far below is stopped`(rate: Int)
  {
    for frequency in [7000.0, 8000, 10_000, 12_000, 14_000] where frequency < 0.45 * Double(rate) {
      #expect(isAbove(-20.9, Tone(frequency, -20), rate: rate, seconds: 0.11), "\(frequency) Hz")
      #expect(!isAbove(-20.4, Tone(frequency, -20), rate: rate, seconds: 0.11), "\(frequency) Hz")
    }
    for frequency in [30.0, 4000, 17_000, 21_000, 90_000] where frequency < 0.49 * Double(rate) {
      #expect(!isAbove(-60, Tone(frequency, 0), rate: rate), "\(frequency) Hz")
    }
  }

  @Test func `a tone is heard at whatever phase the outputs meet it`() {
    // Of a stretch at 48 kHz every third frame is computed; these can all be zeros of a tone of 8 kHz.
    let tone = Tone(8000, -20).frames(seconds: 0.11, rate: 48_000)
    for first in 0..<6 {
      #expect(isAbove(-20.9, Array(tone.dropFirst(2 * first)), rate: 48_000), "from frame \(first)")
    }
  }

  @Test(arguments: 1...8)
  func `the channels' mean squares are added`(channels: Int) {
    for channel in 0..<channels {
      let samples = Tone(1000, -20).frames(seconds: 0.3, rate: 16_000, channels: channels, only: channel)
      var meter = Meter(rate: 16_000, channels: channels)
      _ = meter.measure(samples, channels: channels)
      #expect(abs((meter.level ?? 0) + 2370) <= 2, "channel \(channel) of \(channels)")
    }
  }

  @Test(arguments: [1, 2, 3, 5, 8])
  func `the high band of each channel is heard`(channels: Int) {
    for channel in 0..<channels {
      let samples = Tone(10_000, -41).frames(seconds: 0.21, rate: 48_000, channels: channels, only: channel)
      var meter = Meter(rate: 48_000, channels: channels)
      #expect(meter.measure(samples, channels: channels)[1].even, "channel \(channel) of \(channels)")
    }
  }

  // MARK: The definition

  /// Sound that comes and goes near the thresholds of both bands, over dither, silence or nothing.
  private func nearThreshold(_ seed: UInt64, frames: Int, channels: Int) -> [Float] {
    var random = SplitMix64(seed: seed)
    var samples: [Float] = []
    while samples.count < frames * channels {
      let length = Int.random(in: 200...12_000, using: &random)
      let amplitude = Tone.amplitude(Double.random(in: -70...(-52), using: &random))
      let kind = Int.random(in: 0...4, using: &random)
      var sign: Float = 1
      for index in 0..<length * channels {
        // Two frames up, two down: a quarter of the rate, in the high band at 44.1 and 48 kHz.
        if index % (2 * channels) == 0 { sign = -sign }
        switch kind {
        case 0: samples.append(0)
        case 1: samples.append((random.uniform() + random.uniform()).rounded() / 32768)
        case 2: samples.append(amplitude * 6 * sign)
        default: samples.append(amplitude * 3 * random.uniform())
        }
      }
    }
    return Array(samples.prefix(frames * channels))
  }

  @Test(arguments: 1...6)
  func `the verdicts are those of the definition, short cuts or not`(seed: UInt64) {
    let (rate, channels) = ([48_000, 44_100, 16_000][Int(seed) % 3], 1 + Int(seed) % 2)
    // A little beyond two seconds, since a tenth is told with the frames that follow.
    let samples = nearThreshold(seed, frames: 2 * rate + 200, channels: channels)
    let reference = ReferenceMeter(samples, rate: rate, channels: channels)
    var meter = Meter(rate: rate, channels: channels)
    let tenths = meter.measure(samples, channels: channels)
    #expect(tenths == reference.tenths, "seed \(seed)")
    #expect(tenths.contains { $0.even } && tenths.contains { !$0.even })
  }

  @Test(arguments: 1...4)
  func `levels are those of the definition`(seed: UInt64) {
    let rate = [48_000, 44_100, 16_000, 96_000][Int(seed) % 4]
    let samples = nearThreshold(seed, frames: rate / 2, channels: 2)
    let reference = ReferenceMeter(samples, rate: rate, channels: 2)
    var meter = Meter(rate: rate, channels: 2)
    for half in 0..<10 {
      let frames = (half * rate / 20)..<((half + 1) * rate / 20)
      _ = meter.measure(Array(samples[2 * frames.lowerBound..<2 * frames.upperBound]), channels: 2)
      guard rate % 960 == 0, reference.levels[half] > -75 else { continue }
      let level = Double(meter.level ?? .min) / 100
      #expect(abs(level - reference.levels[half]) < 0.04, "seed \(seed), half \(half), \(rate) Hz")
    }
  }

  @Test func `a tenth stays audible down to 4 dB below what made it so`() {
    for (frequency, on, off) in [(440.0, -59.0, -63.0), (10_000, -44, -48)] {
      let levels = [off, on, off, off, off - 1, off]
      let samples = levels.flatMap { Tone(frequency, $0).frames(seconds: 0.2, rate: 48_000) }
      var meter = Meter(rate: 48_000, channels: 2)
      let even = meter.measure(samples, channels: 2).map { $0.even }
      // Each level lasts two tenths; the second of them holds this level alone.
      #expect(stride(from: 1, to: 11, by: 2).map { even[$0] } == [false, true, true, true, false])
    }
  }

  // MARK: Blocks

  @Test(arguments: [(48_000, 2), (44_100, 1), (192_000, 8), (11_025, 3)])
  func `how the stream is cut does not matter`(rate: Int, channels: Int) {
    let samples = nearThreshold(UInt64(rate), frames: rate / 4, channels: channels)
    var whole = Meter(rate: rate, channels: channels)
    let tenths = whole.measure(samples, channels: channels)
    for block in [1, 7, 480, 1024] where block > 1 || rate < 48_000 {
      var cut = Meter(rate: rate, channels: channels)
      #expect(cut.measure(samples, channels: channels, block: block) == tenths, "\(block)")
      #expect(cut.level == whole.level, "\(block)")
    }
  }

  @Test func `a copy goes its own way`() {
    var meter = Meter(rate: 16_000, channels: 2)
    let tone = Tone(440, -20).frames(seconds: 0.25, rate: 16_000)
    #expect(meter.measure(tone, channels: 2).count == 2)
    var other = meter
    #expect(other.measure(tone, channels: 2).map { $0.even } == [true, true, true])
    let silence = [Float](repeating: 0, count: 8000)
    #expect(meter.measure(silence, channels: 2).map { $0.even } == [true, false, false])
    #expect(meter.isResting && !other.isResting)
  }

  // MARK: Short cuts

  @Test(arguments: [8000, 44_100, 48_000])
  func `silence that is known to be so is skipped without a difference`(rate: Int) {
    var random = SplitMix64(seed: 5)
    var direct = Meter(rate: rate, channels: 2)
    var skipping = direct
    for _ in 0..<20 {
      let loud = Tone(440, -30).frames(seconds: Double.random(in: 0...0.12, using: &random), rate: rate)
      let silent = Int.random(in: 0...rate / 3, using: &random)
      let expected = direct.measure(loud + [Float](repeating: 0, count: 2 * silent), channels: 2)
      #expect(skipping.measure(loud, channels: 2) + Array(skipping.skipSilence(frames: silent)) == expected)
      #expect(direct.level == skipping.level && direct.isResting == skipping.isResting)
    }
  }

  @Test func `hours of silence are skipped as whole tenths`() {
    var meter = Meter(rate: 44_100, channels: 2)
    _ = meter.measure(Tone(440, -20).frames(seconds: 0.2, rate: 44_100), channels: 2)
    // The second tenth of the tone is told with the silence.
    let tenths = Array(meter.skipSilence(frames: 3600 * 44_100))
    #expect(tenths.count == 36_001)
    #expect(tenths[0].even && tenths.dropFirst(2).allSatisfy { $0 == .silent })
    #expect(meter.skipSilence(frames: -1).count == 0 && meter.skipSilence(frames: 0).count == 0)
  }

  @Test func `the peak does not hide a quiet tone of the high band, and makes none audible`() {
    for (level, isAudible) in [(-44.0, true), (-60, false), (-83, false)] {
      var meter = Meter(rate: 48_000, channels: 2)
      let silence = [Float](repeating: 0, count: 2 * 9600)
      let tone = Tone(10_000, level).frames(seconds: 0.3, rate: 48_000)
      let tenths = meter.measure(silence + tone + silence, channels: 2)
      #expect(tenths.map { $0.even }.contains(true) == isAudible, "\(level)")
    }
  }

  // MARK: NaN and infinities

  @Test(arguments: [Float.nan, -.nan, .signalingNaN, .infinity, -.infinity])
  func `what is no number is silence`(wild: Float) {
    var meter = Meter(rate: 48_000, channels: 2)
    let none = meter.measure([Float](repeating: wild, count: 38_400), channels: 2)
    #expect(none.count >= 3 && none.allSatisfy { $0 == .silent })
    #expect(meter.level == nil)
    for frequency in [440.0, 10_000] {
      var samples = Tone(frequency, -20).frames(seconds: 0.3, rate: 48_000)
      for index in stride(from: 0, to: samples.count, by: 4801) { samples[index] = wild }
      #expect(meter.measure(samples, channels: 2).last == Tenth(even: true, odd: true))
    }
  }

  @Test func `samples above full scale are measured as the device plays them`() {
    var meter = Meter(rate: 48_000, channels: 1)
    let square = (0..<12_000).map { Float($0 / 24 % 2 == 0 ? 1e30 : -1e30) }
    #expect(meter.measure(square, channels: 1).map { $0.even } == [true, true])
    #expect((meter.level ?? 0) < 100 && (meter.level ?? 0) > -200)
  }

  @Test func `no frames, part of a frame and impossible formats do no harm`() {
    var meter = Meter(rate: 48_000, channels: 2)
    #expect(meter.measure([], channels: 2).isEmpty)
    #expect(meter.measure([1], channels: 2).isEmpty)
    var odd = Meter(rate: 0, channels: 0)
    #expect(odd.measure([Float](repeating: 0, count: 8000), channels: 1).count == 10)
  }

  @Test func `of more than 64 tenths with sound in them the last 64 are told`() {
    var meter = Meter(rate: 8000, channels: 1)
    let tone = Tone(440, -20).frames(seconds: 7.1, rate: 8000, channels: 1)
    #expect(meter.measure(tone, channels: 1) == Array(repeating: Tenth(even: true, odd: true), count: 64))
    #expect(meter.measure([Float](repeating: 0, count: 70 * 8000), channels: 1).count == 700)
  }
}
