import CSpeexDSP
import LullMedia

/// The sound of a file at 48 kHz, and silence after its end.
final class FileGenerator: FrameGenerator {
  private let file: AudioFile
  private let resampler: Resampler?
  private var ready: [Int16] = []

  init(path: String) throws(CallError) {
    file = try AudioFile(reading: path)
    resampler = file.rate == Opus.rate ? nil : try Resampler(from: file.rate, to: Opus.rate)
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

@safe final class Resampler {
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
