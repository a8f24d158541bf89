import CSpeexDSP
import LullMedia
import LullSystem

/// A sine at a quarter of full scale.
struct ToneGenerator: FrameGenerator {
  private static let amplitude = 8192.0
  /// The angle of the next sample, and the angle from one sample to the next.
  private var angle = 0.0
  private let step: Double

  /// `frequency` is 1 to 20000 Hz.
  init(frequency: Double) { step = 2 * .pi * frequency / Double(Opus.rate) }

  mutating func next(_ frame: inout [Int16]) {
    for index in frame.indices {
      frame[index] = Int16(ToneGenerator.amplitude * Mathematics.sine(angle))
      angle = (angle + step).remainder(dividingBy: 2 * .pi)
    }
  }
}

/// A click of 5 ms at each full second of CLOCK_MONOTONIC, and silence in between: it measures the delay from
/// mouth to ear.
struct ClickGenerator: FrameGenerator {
  private static let second = 1_000_000_000 as Int64
  private static let length = 240
  /// The next sample would have been spoken at this moment.
  private var time: Int64 = 0

  mutating func begin(at moment: Int64) { time = moment }

  mutating func next(_ frame: inout [Int16]) {
    for index in frame.indices {
      let moment = time + Int64(index) * ClickGenerator.second / Int64(Opus.rate)
      let age = Int(moment % ClickGenerator.second * Int64(Opus.rate) / ClickGenerator.second)
      // A square wave of 1 kHz.
      frame[index] = age >= ClickGenerator.length ? 0 : age / 24 % 2 == 0 ? 16_384 : -16_384
    }
    time += Pace.frame
  }

  mutating func skip(frames: Int) { time += Int64(frames) * Pace.frame }
}

struct SilenceGenerator: FrameGenerator {
  mutating func next(_ frame: inout [Int16]) {}
}

/// The sound of a file at 48 kHz, and silence after its end.
final class FileGenerator: FrameGenerator {
  private let file: AudioFile
  private let resampler: MonoResampler?
  private var ready: [Int16] = []

  init(path: String) throws(CallError) {
    file = try AudioFile(reading: path)
    resampler = file.rate == Opus.rate ? nil : try MonoResampler(from: file.rate, to: Opus.rate)
  }

  func next(_ frame: inout [Int16]) {
    while ready.count < frame.count {
      // The samples of one frame at the file's rate.
      let samples = file.read(max(1, file.rate / 50))
      guard !samples.isEmpty else { break }
      ready += resampler?.convert(samples) ?? samples
    }
    let count = min(ready.count, frame.count)
    frame.replaceSubrange(..<count, with: ready[..<count])
    ready.removeFirst(count)
  }
}

@safe final class MonoResampler {
  private let state: OpaquePointer
  private let rates: (from: Int, to: Int)

  init(from: Int, to: Int) throws(CallError) {
    rates = (from, to)
    var code: Int32 = 0
    guard let created = unsafe speex_resampler_init(1, UInt32(from), UInt32(to), 5, &code) else {
      throw CallError("a rate of \(from) Hz cannot be converted")
    }
    unsafe state = created
  }

  deinit { unsafe speex_resampler_destroy(state) }

  func convert(_ samples: [Int16]) -> [Int16] {
    var result = [Int16](repeating: 0, count: samples.count * rates.to / rates.from + 64)
    var (taken, given) = (UInt32(samples.count), UInt32(result.count))
    _ = unsafe samples.withUnsafeBufferPointer { samples in
      unsafe result.withUnsafeMutableBufferPointer { room in
        unsafe speex_resampler_process_int(state, 0, samples.baseAddress, &taken, room.baseAddress, &given)
      }
    }
    return Array(result.prefix(Int(given)))
  }
}
