import Glibc
import LullAudio
import LullRing
import LullSystem

/// Nanoseconds per stereo frame, in turn in one run.
enum MeterBenchmark {
  /// Frames of a call: 10 ms.
  private static let block = 480
  private static let batches = 41

  static func run() {
    guard let loudness = Loudness() else {
      print("lull-bench-meter: libebur128 has no memory")
      exit(1)
    }
    let signals = Signals()
    var contestants = contestants(signals, loudness)
    for index in contestants.indices { contestants[index].measure() }
    for index in contestants.indices { contestants[index].figures = [] }
    for _ in 0..<batches {
      for index in contestants.indices { contestants[index].measure() }
    }
    print(
      "meter: ns per stereo frame of 48 kHz, calls of \(block) frames, \(batches) batches of 10 s in turn")
    for contestant in contestants { print(contestant.row(beside: contestants[0])) }
  }

  private static func contestants(_ signals: Signals, _ loudness: Loudness) -> [Contestant] {
    var floats = [Float](repeating: 0, count: 2 * block)
    var samples = [Int16](repeating: 0, count: 2 * block)
    return [
      Contestant("libebur128, momentary") { loudness.process(signals.noise, block: block) },
      metered("meter, music", target: 6, signals.noise),
      metered("meter, tone of 10 kHz at -30", signals.hiss),
      metered("meter, tone of 19 kHz", signals.ultrasound),
      metered("meter, digital silence", target: 0.4, signals.silence),
      metered("meter, dither of 16 bits", target: 0.4, signals.dither),
      skipped("meter, silence known to be so", target: 0.4),
      Contestant("16 bits to float") {
        unsafe signals.samples.withUnsafeBytes { bytes in
          guard let base = bytes.baseAddress else { return }
          for frame in stride(from: 0, to: Signals.frames, by: block) {
            unsafe Convert.toFloat(base + 4 * frame, .s16, count: 2 * block, into: &floats)
          }
        }
      },
      Contestant("float to 16 bits") {
        unsafe signals.noise.withUnsafeBufferPointer { buffer in
          guard let base = buffer.baseAddress else { return }
          for frame in stride(from: 0, to: Signals.frames, by: block) {
            unsafe Convert.fromFloat(base + 2 * frame, .s16, count: 2 * block, into: &samples)
          }
        }
      },
    ]
  }

  private static func metered(_ name: String, target: Double? = nil, _ signal: [Float]) -> Contestant {
    var meter = Meter(rate: Signals.rate, channels: 2)
    return Contestant(name, target: target) {
      unsafe signal.withUnsafeBufferPointer { buffer in
        for frame in stride(from: 0, to: Signals.frames, by: block) {
          _ = unsafe meter.process(buffer.extracting(2 * frame..<2 * (frame + block)))
        }
      }
    }
  }

  private static func skipped(_ name: String, target: Double) -> Contestant {
    var meter = Meter(rate: Signals.rate, channels: 2)
    return Contestant(name, target: target) {
      for _ in stride(from: 0, to: Signals.frames, by: block) { _ = meter.skipSilence(frames: block) }
    }
  }
}

/// A meter that is measured, and its figures so far.
struct Contestant {
  let name: String
  let target: Double?
  var figures: [Double] = []
  private let work: () -> Void

  /// A batch measures all frames of `Signals` so many times: 10 s.
  private static let repetitions = 50

  init(_ name: String, target: Double? = nil, work: @escaping () -> Void) {
    (self.name, self.target, self.work) = (name, target, work)
  }

  mutating func measure() {
    let start = monotonic()
    for _ in 0..<Self.repetitions { work() }
    figures.append(Double(monotonic() - start) / Double(Self.repetitions * Signals.frames))
  }

  func row(beside other: Contestant) -> String {
    let sorted = figures.sorted()
    let median = sorted[sorted.count / 2]
    let ratio = zip(other.figures, figures).map(/).sorted()[sorted.count / 2]
    let padded = name + String(repeating: " ", count: max(0, 32 - name.count))
    var row = "\(padded) median \(rounded(median))   least \(rounded(sorted[0]))"
    row += "   most \(rounded(sorted[sorted.count - 1]))"
    if name != other.name { row += "   libebur128 takes \(rounded(ratio)) times as long" }
    guard let target else { return row }
    return row + "   target \(target): \(median <= target ? "reached" : "not reached")"
  }

  private func rounded(_ figure: Double) -> Double { (figure * 1000).rounded() / 1000 }

  private func monotonic() -> Int64 {
    var now = timespec()
    unsafe clock_gettime(CLOCK_MONOTONIC, &now)
    return Int64(now.tv_sec) * 1_000_000_000 + Int64(now.tv_nsec)
  }
}
