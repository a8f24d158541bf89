import CSndfile
import LullMedia

/// A sound file, read or written in order by libsndfile.
@safe final class AudioFile {
  let rate: Int
  let channels: Int
  private let file: OpaquePointer

  init(reading path: String) throws(CallError) {
    var information = SF_INFO()
    guard let opened = unsafe sf_open(path, Int32(SFM_READ), &information) else {
      throw CallError("\(path): \(unsafe String(cString: sf_strerror(nil)))")
    }
    unsafe file = opened
    (rate, channels) = (Int(information.samplerate), Int(information.channels))
  }

  /// Makes a WAV file of one channel of 48 kHz and 16 bits; it can be read at any time.
  init(writing path: String) throws(CallError) {
    (rate, channels) = (Opus.rate, 1)
    var information = SF_INFO()
    information.samplerate = Int32(rate)
    information.channels = Int32(channels)
    information.format = Int32(SF_FORMAT_WAV | SF_FORMAT_PCM_16)
    guard let opened = unsafe sf_open(path, Int32(SFM_WRITE), &information) else {
      throw CallError("\(path): \(unsafe String(cString: sf_strerror(nil)))")
    }
    unsafe file = opened
    _ = unsafe sf_command(opened, Int32(SFC_SET_UPDATE_HEADER_AUTO), nil, Int32(SF_TRUE))
  }

  deinit { _ = unsafe sf_close(file) }

  /// Reads `count` frames, their channels mixed down to one; fewer at the end.
  func read(_ count: Int) -> [Int16] {
    var samples = [Int16](repeating: 0, count: count * channels)
    let frames = unsafe samples.withUnsafeMutableBufferPointer { room in
      unsafe Int(sf_readf_short(file, room.baseAddress, sf_count_t(count)))
    }
    guard channels > 1 else { return Array(samples.prefix(max(0, frames))) }
    return (0..<max(0, frames)).map { frame in
      let sum = samples[frame * channels..<(frame + 1) * channels].reduce(0) { $0 + Int($1) }
      return Int16(sum / channels)
    }
  }

  /// Returns false when there is no room on the disk.
  func write(_ samples: [Int16]) -> Bool {
    unsafe samples.withUnsafeBufferPointer { samples in
      unsafe sf_writef_short(file, samples.baseAddress, sf_count_t(samples.count)) == samples.count
    }
  }
}
