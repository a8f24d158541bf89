import CSndfile
import Glibc
import LullSystem
import TestSupport
import Testing

/// A folder of a test's own, removed with everything in it.
final class Scratch: Sendable {
  private let directory: TemporaryDirectory
  var path: String { directory.path }

  init() throws { directory = try TemporaryDirectory() }

  /// The formats that libsndfile writes, by their names in <sndfile.h>.
  enum Kind {
    case wav16, wav24, flac16, opus, vorbis, mp3

    var format: Int32 {
      switch self {
      case .wav16: Int32(SF_FORMAT_WAV | SF_FORMAT_PCM_16)
      case .wav24: Int32(SF_FORMAT_WAV | SF_FORMAT_PCM_24)
      case .flac16: Int32(SF_FORMAT_FLAC | SF_FORMAT_PCM_16)
      case .opus: Int32(SF_FORMAT_OGG | SF_FORMAT_OPUS)
      case .vorbis: Int32(SF_FORMAT_OGG | SF_FORMAT_VORBIS)
      case .mp3: Int32(SF_FORMAT_MPEG | SF_FORMAT_MPEG_LAYER_III)
      }
    }
  }

  /// Writes interleaved samples to a file and returns its path.
  @discardableResult
  func sound(
    _ name: String, kind: Kind = .wav16, samples: [Int16], rate: Int32 = 8000, channels: Int32 = 2,
    title: String? = nil, artist: String? = nil
  ) throws -> String {
    let file = "\(path)/\(name)"
    var info = SF_INFO()
    info.samplerate = rate
    info.channels = channels
    info.format = kind.format
    let handle = unsafe try #require(unsafe sf_open(file, Int32(SFM_WRITE), &info), "cannot write \(name)")
    if let title { unsafe sf_set_string(handle, Int32(SF_STR_TITLE), title) }
    if let artist { unsafe sf_set_string(handle, Int32(SF_STR_ARTIST), artist) }
    let frames = Int64(samples.count) / Int64(channels)
    let written = unsafe sf_writef_short(handle, samples, frames)
    unsafe sf_close(handle)
    try #require(written == frames)
    return file
  }

  func link(_ name: String, to target: String) throws {
    try #require(unsafe symlink(target, "\(path)/\(name)") == 0)
  }

  @discardableResult
  func file(_ name: String, _ bytes: [UInt8]) throws -> String {
    try Files.replace("\(path)/\(name)", with: bytes)
    return "\(path)/\(name)"
  }
}

/// Frames of two channels; none equals its neighbours.
func ramp(_ frames: Int, from start: Int = 0) -> [Int16] {
  (0..<frames).flatMap { frame -> [Int16] in
    let value = Int16(truncatingIfNeeded: (start + frame) &* 7)
    return [value, Int16(truncatingIfNeeded: -Int(value) ^ 0x55)]
  }
}

extension Scratch {
  /// A file whose name need not be UTF-8, by its whole path.
  func file(_ path: [UInt8], _ bytes: [UInt8]) throws {
    let file = unsafe try #require(fopen(path.map { CChar(bitPattern: $0) } + [0], "w"))
    defer { unsafe fclose(file) }
    try #require(unsafe fwrite(bytes, 1, bytes.count, file) == bytes.count)
  }
}

extension [Int16] {
  var bytes: Sound { Sound(flatMap { [UInt8(truncatingIfNeeded: $0), UInt8(truncatingIfNeeded: $0 >> 8)] }) }
  /// The same sound in floats.
  var floatBytes: Sound {
    Sound(
      flatMap { sample in
        let bits = (Float(sample) / 32768).bitPattern
        return (0..<4).map { UInt8(truncatingIfNeeded: bits >> (8 * $0)) }
      })
  }
}

/// Frames as they were heard, in a type of their own: a failed comparison does not print all of them.
struct Sound: Equatable, CustomTestStringConvertible {
  var bytes: [UInt8]

  init(_ bytes: [UInt8]) {
    self.bytes = bytes
  }

  var count: Int { bytes.count }
  var testDescription: String { "\(count) bytes: \(bytes.prefix(8)) ... \(bytes.suffix(8))" }

  static func + (one: Sound, other: Sound) -> Sound { Sound(one.bytes + other.bytes) }
}
