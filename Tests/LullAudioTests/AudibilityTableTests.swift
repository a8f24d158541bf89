import LullAudio
import LullEngine
import Testing

/// "What must hold" of docs/AUDIBILITY.md, row by row: 20 s through the meter and the rule.
@Suite struct AudibilityTableTests {
  /// Whether the session is audible after each second.
  private func heard(_ signal: Signal, rate: Int, channels: Int, seconds: Int) -> [Bool] {
    var meter = Meter(rate: rate, channels: channels)
    var window = AudibleWindow()
    let generator = signal.make(rate)
    var heard: [Bool] = []
    for second in 0..<seconds {
      let frames = signal.frames(second * rate..<(second + 1) * rate, of: generator, channels: channels)
      for audible in meter.measure(frames, channels: channels) {
        window.second(audible: audible)
        heard.append(window.isAudible)
      }
    }
    return heard
  }

  private func isNeverHeard(_ signal: Signal, rate: Int = 48000, channels: Int = 2, seconds: Int = 20) {
    let heard = heard(signal, rate: rate, channels: channels, seconds: seconds)
    #expect(heard.count >= seconds - 1 && !heard.contains(true), "\(signal.name), \(rate) Hz")
  }

  /// From `first` seconds on always.
  private func isHeard(
    _ signal: Signal, from first: Int = 3, rate: Int = 48000, channels: Int = 2, seconds: Int = 20
  ) {
    let heard = heard(signal, rate: rate, channels: channels, seconds: seconds)
    #expect(heard.count >= seconds - 1, "\(signal.name), \(rate) Hz")
    #expect(!heard.dropFirst(first - 1).contains(false), "\(signal.name), \(rate) Hz")
  }

  private let dither = Signal("dither") { _ in
    var random = Seeded(3)
    func sample() -> Float { (random.uniform() + random.uniform()).rounded() / 32768 }
    return { _ in (sample(), sample()) }
  }
  private let click = Signal("a full-scale sample a second") { rate in { $0 % rate == 0 ? 1 : 0 } }
  private let antiphase = Signal("antiphase") { rate in
    let tone = Signal.sine(440, -20).make(rate)
    return { (tone($0).0, -tone($0).0) }
  }
  private let tick = Signal.bursts(.sine(1000, 0), length: 0.03, period: 1)
  private let beep = Signal.bursts(.sine(1000, 0), length: 0.2, period: 10)
  private func speech(_ level: Double) -> Signal {
    .bursts(.noise(level), length: 0.7, period: 2.2)
  }

  @Test func `digital silence is not heard`() { isNeverHeard(.constant(0)) }
  @Test func `a constant at -6 is not heard`() { isNeverHeard(.constant(Signal.amplitude(-6))) }
  @Test func `dither of 16 bits is not heard`() { isNeverHeard(dither) }

  @Test(arguments: [(5.0, 0.0), (20, 0), (30, 0), (30, -67)])
  func `what is too low is not heard`(frequency: Double, level: Double) {
    isNeverHeard(.sine(frequency, level))
  }

  @Test(arguments: [(17_000.0, 0.0), (21_000, 0), (19_500, -40)])
  func `what is too high is not heard`(frequency: Double, level: Double) {
    isNeverHeard(.sine(frequency, level))
  }

  @Test func `white noise at -60 is not heard`() { isNeverHeard(.noise(-60)) }
  @Test func `one full-scale sample per second is not heard`() { isNeverHeard(click) }
  @Test func `a tick of 30 ms per second is not heard`() { isNeverHeard(tick) }
  @Test func `a beep of 200 ms every 10 s is not heard`() { isNeverHeard(beep) }
  @Test func `440 Hz at -20 in antiphase is not heard on a mono device`() {
    isNeverHeard(antiphase, channels: 1)
  }
  @Test func `440 Hz at -20 in antiphase is heard on a stereo device`() { isHeard(antiphase) }
  @Test func `440 Hz at -20 is heard`() { isHeard(.sine(440, -20)) }
  @Test func `440 Hz at -50 is heard`() { isHeard(.sine(440, -50)) }
  @Test func `440 Hz at -70 is not heard`() { isNeverHeard(.sine(440, -70)) }
  @Test func `noise bursts at -20 with pauses of 1500 ms are heard`() { isHeard(speech(-20), from: 7) }
  @Test func `noise bursts at -45 with pauses of 1500 ms are heard`() { isHeard(speech(-45), from: 7) }
  @Test func `music at -23 LUFS is heard`() { isHeard(Music.signal(loudness: -23)) }
  @Test func `quiet music at -45 LUFS is heard`() { isHeard(Music.signal(loudness: -45)) }
  @Test func `eight seconds of silence between two tracks do not end it`() {
    isHeard(.bursts(Music.signal(loudness: -23), length: 6, period: 14))
  }

  // MARK: Other rates

  @Test(arguments: [8000, 16_000, 44_100, 96_000])
  func `the rows hold at other rates`(rate: Int) {
    for signal in [
      .constant(Signal.amplitude(-6)), dither, .sine(30, 0), .noise(-60), click, tick,
      .sine(440, -70),
    ] { isNeverHeard(signal, rate: rate, seconds: 5) }
    isNeverHeard(antiphase, rate: rate, channels: 1, seconds: 5)
    for signal in [.sine(440, -50), Music.signal(loudness: -45)] { isHeard(signal, rate: rate, seconds: 5) }
    isHeard(speech(-45), from: 7, rate: rate, seconds: 10)
    guard rate >= 44_100 else { return }
    for signal in [Signal.sine(17_000, 0), .sine(21_000, 0), .sine(19_500, -40)] {
      isNeverHeard(signal, rate: rate, seconds: 5)
    }
  }

  // MARK: Wherever the ticks lie

  @Test func `a tick of 30 ms per second is not heard wherever it lies in the second`() {
    for phase in stride(from: 0.0, to: 0.1, by: 0.01) {
      isNeverHeard(.bursts(.sine(1000, 0), length: 0.03, period: 1, start: phase), rate: 16_000, seconds: 5)
    }
  }

  @Test func `a full-scale sample on the border of two sub-blocks is not heard`() {
    for early in stride(from: 0, through: 60, by: 4) {
      isNeverHeard(
        Signal("click \(early) before") { rate in { ($0 + early) % rate == rate / 10 ? 1 : 0 } },
        rate: 16_000,
        seconds: 4)
    }
  }
}
