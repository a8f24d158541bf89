import LullAudio
import Testing

@Suite struct MeterTests {
  /// The level of the last 100 ms of half a second, in decibels.
  private func level(_ signal: Signal, rate: Int, channels: Int = 2) -> Double {
    var meter = Meter(rate: rate, channels: channels)
    let generator = signal.make(rate)
    _ = meter.measure(signal.frames(0..<rate / 2, of: generator, channels: channels), channels: channels)
    return meter.level.map { Double($0) / 100 } ?? -.infinity
  }

  // MARK: Filter

  @Test(arguments: [8000, 11_025, 16_000, 22_050, 44_100, 48_000, 96_000, 176_400, 192_000])
  func `what is heard passes, and what is not is stopped`(rate: Int) {
    for frequency in [200.0, 440, 1000, 3000, 5000] where frequency < 0.45 * Double(rate) {
      // A sine's mean square is 3.01 dB below its peak; two channels make up for it.
      #expect(abs(level(.sine(frequency, -10), rate: rate) + 10.691) < 0.1, "\(frequency) Hz")
    }
    #expect(abs(level(.sine(120, -10), rate: rate) + 13.70) < 0.15)
    #expect(level(.sine(30, 0), rate: rate) < -70)
    #expect(level(.sine(20, 0), rate: rate) < -90)
    for frequency in [8600.0, 10_000, 16_000, 17_000, 19_500, 21_000, 40_000, 90_000]
    where frequency < 0.49 * Double(rate) {
      #expect(level(.sine(frequency, 0), rate: rate) < -80, "\(frequency) Hz")
    }
  }

  @Test(arguments: 1...8)
  func `the channels' mean squares are added`(channels: Int) {
    for channel in 0..<channels {
      var samples = [Float](repeating: 0, count: 24_000 * channels)
      let tone = Signal.sine(1000, -20).make(48_000)
      for frame in 0..<24_000 { samples[frame * channels + channel] = tone(frame).0 }
      var meter = Meter(rate: 48_000, channels: channels)
      _ = meter.measure(samples, channels: channels)
      #expect(abs((meter.level ?? 0) + 2370) <= 2, "channel \(channel) of \(channels)")
    }
  }

  // MARK: The definition

  /// A tone near the thresholds that comes and goes over dither, silence or nothing.
  private func nearThreshold(_ seed: UInt64, frames: Int, channels: Int) -> [Float] {
    var random = Seeded(seed)
    var samples: [Float] = []
    while samples.count < frames * channels {
      let length = Int.random(in: 200...12_000, using: &random)
      let amplitude = Signal.amplitude(Double.random(in: -70...(-52), using: &random))
      let kind = Int.random(in: 0...3, using: &random)
      for _ in 0..<length * channels {
        switch kind {
        case 0: samples.append(0)
        case 1: samples.append((random.uniform() + random.uniform()).rounded() / 32768)
        default: samples.append(amplitude * 3 * random.uniform())
        }
      }
    }
    return Array(samples.prefix(frames * channels))
  }

  @Test(arguments: 1...6)
  func `the verdicts are those of the definition, short cuts or not`(seed: UInt64) {
    let (rate, channels) = ([48_000, 44_100, 16_000][Int(seed) % 3], 1 + Int(seed) % 2)
    // A little beyond three seconds, since a second is told with the frames that follow.
    let samples = nearThreshold(seed, frames: 3 * rate + 200, channels: channels)
    let reference = ReferenceMeter(samples, rate: rate, channels: channels)
    var meter = Meter(rate: rate, channels: channels)
    #expect(meter.measure(samples, channels: channels) == reference.seconds, "seed \(seed)")
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

  // MARK: Blocks

  @Test(arguments: [(48_000, 2), (44_100, 1), (192_000, 8), (11_025, 3)])
  func `how the stream is cut does not matter`(rate: Int, channels: Int) {
    let samples = nearThreshold(UInt64(rate), frames: rate + rate / 5, channels: channels)
    var whole = Meter(rate: rate, channels: channels)
    let seconds = whole.measure(samples, channels: channels)
    for block in [1, 7, 480, 1024] where block > 1 || rate < 48_000 {
      var cut = Meter(rate: rate, channels: channels)
      #expect(cut.measure(samples, channels: channels, block: block) == seconds, "\(block)")
      #expect(cut.level == whole.level, "\(block)")
    }
  }

  @Test func `a copy goes its own way`() {
    var meter = Meter(rate: 48_000, channels: 2)
    let tone = Signal.sine(440, -20)
    let frames = tone.frames(0..<24_000, of: tone.make(48_000), channels: 2)
    #expect(meter.measure(frames, channels: 2).isEmpty)
    var ahead = meter
    #expect(ahead.measure(frames + frames + frames, channels: 2) == [true, true])
    #expect(meter.measure([Float](repeating: 0, count: 48_000), channels: 2) == [true])
    #expect(meter.isResting && !ahead.isResting)
  }

  // MARK: Short cuts

  @Test func `quiet samples of 16 bits are skipped without a difference`() {
    var random = Seeded(5)
    var direct = Meter(rate: 48_000, channels: 2)
    var skipping = direct
    var skipped = 0
    for block in 0..<150 {
      let loud = block % 50 >= 20 && block % 50 < 25
      let samples = (0..<960).map { _ in Int16.random(in: loud ? -3000...3000 : -2...2, using: &random) }
      let floats = samples.map { Float($0) / 32768 }
      let expected = direct.measure(floats, channels: 2)
      let quiet = unsafe samples.withUnsafeBufferPointer { unsafe skipping.skipQuiet($0, channels: 2) }
      skipped += quiet.frames
      let rest = skipping.measure(Array(floats.dropFirst(2 * quiet.frames)), channels: 2)
      #expect(Array(quiet.ended) + rest == expected)
      #expect(direct.level == skipping.level)
    }
    #expect(skipped > 480 * 80)
  }

  @Test func `the extreme values of 16 bits are not quiet`() {
    var meter = Meter(rate: 48_000, channels: 1)
    for wild in [Int16.min, .max, 3, -3] {
      for place in 64..<128 {
        var samples = [Int16](repeating: 2, count: 200)
        samples[place] = wild
        let quiet = unsafe samples.withUnsafeBufferPointer { unsafe meter.skipQuiet($0, channels: 1) }
        #expect(quiet.frames <= place)
      }
    }
  }

  // MARK: What is no number

  @Test(arguments: [Float.nan, -.nan, .signalingNaN, .infinity, -.infinity])
  func `what is no number is silence`(wild: Float) {
    var meter = Meter(rate: 48_000, channels: 2)
    #expect(meter.measure([Float](repeating: wild, count: 96_000), channels: 2) == [false])
    #expect(meter.level == nil)
    let tone = Signal.sine(440, -20)
    var samples = tone.frames(0..<48_000, of: tone.make(48_000), channels: 2)
    for index in stride(from: 0, to: samples.count, by: 4801) { samples[index] = wild }
    #expect(meter.measure(samples, channels: 2) == [true])
  }

  @Test func `samples above full scale are measured as the device plays them`() {
    var meter = Meter(rate: 48_000, channels: 1)
    let square = (0..<48_000).map { Float($0 / 24 % 2 == 0 ? 1e30 : -1e30) }
    #expect(meter.measure(square, channels: 1) == [true])
    #expect((meter.level ?? 0) < 100 && (meter.level ?? 0) > -200)
  }

  @Test func `no frames, part of a frame and impossible formats do no harm`() {
    var meter = Meter(rate: 48_000, channels: 2)
    #expect(meter.measure([], channels: 2).isEmpty)
    #expect(meter.measure([1], channels: 2).isEmpty)
    var odd = Meter(rate: 0, channels: 0)
    #expect(odd.measure([Float](repeating: 0, count: 8000), channels: 1) == [false])
  }

  @Test func `of more than 64 seconds the last 64 are told`() {
    var meter = Meter(rate: 8000, channels: 1)
    #expect(meter.measure([Float](repeating: 0, count: 70 * 8000), channels: 1).count == 64)
  }
}
