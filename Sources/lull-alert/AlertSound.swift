import Lull
import LullPlayer

/// A sound that can be played again and again.
protocol AlertSound: AnyObject {
  /// The format of its frames.
  var format: AudioFormat { get }
  /// Reads whole frames; returns their number, 0 at the end.
  func read(into buffer: UnsafeMutableRawBufferPointer) -> Int
  /// Goes back to the beginning; false when the sound cannot.
  func rewind() -> Bool
}

/// The reason why a file is no sound for a notification, in one clause.
struct UnfitSound: Error, CustomStringConvertible { let description: String }

/// The sound of a file.
final class FileSound: AlertSound {
  /// The longest sound of a notification that is no call, in seconds ("Local and Remote Notification
  /// Programming Guide", "Preparing Custom Alert Sounds").
  static let longest = 30.0

  let format: AudioFormat
  private let decoder: FileDecoder

  /// Opens a file and reads its first frame, so that a damaged one is found now.
  init(path: String, isCall: Bool) throws(UnfitSound) {
    do {
      decoder = try FileDecoder(path: Array(path.utf8))
    } catch {
      throw UnfitSound(description: error.description)
    }
    guard let description = decoder.description else { throw UnfitSound(description: "unknown format") }
    format = description.format
    if !isCall, let duration = description.duration, duration > FileSound.longest {
      throw UnfitSound(description: "longer than \(Int(FileSound.longest)) s")
    }
    var frame = [UInt8](repeating: 0, count: format.frameBytes)
    let count = unsafe frame.withUnsafeMutableBytes { bytes in unsafe read(into: bytes) }
    guard count > 0, rewind() else { throw UnfitSound(description: decoder.shortfall ?? "no sound in it") }
  }

  func read(into buffer: UnsafeMutableRawBufferPointer) -> Int {
    switch unsafe decoder.read(format.sample, into: buffer) {
    case .frames(let count): count
    case .pending, .end: 0
    }
  }

  func rewind() -> Bool { (try? decoder.seek(to: 0)) != nil }
}
