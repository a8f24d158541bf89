import Lull
import LullPlayer
import LullSystem

protocol AlertSound: AnyObject {
  var format: AudioFormat { get }
  /// Reads whole frames; returns their number, 0 at the end.
  func read(into samples: UnsafeMutableBufferPointer<Float>) -> Int
  /// Goes back to the beginning; false when the sound cannot.
  func rewind() -> Bool
}

/// The frames of an alert from its beginning to its end: a sound once, or again and again.
struct AlertFrames {
  /// Seconds: the longest time for which a call rings, and the time from one beginning of a short sound to
  /// the next.
  private static let longestRinging = 60, shortestCycle = 3

  private let sound: any AlertSound
  private let isCall: Bool
  /// The frames that are left until the alert is over.
  private var left: Int
  /// The frames since the sound began last.
  private var place = 0

  init(_ sound: any AlertSound, isCall: Bool) {
    (self.sound, self.isCall) = (sound, isCall)
    left = (isCall ? AlertFrames.longestRinging : Int(FileSound.longest)) * sound.format.rate
  }

  var format: AudioFormat { sound.format }

  mutating func read(into samples: UnsafeMutableBufferPointer<Float>) -> Int {
    let frames = min(samples.count / format.channels, left)
    guard frames > 0 else { return 0 }
    let count = unsafe next(UnsafeMutableBufferPointer(rebasing: samples[..<(frames * format.channels)]))
    left -= count
    return count
  }

  private mutating func next(_ samples: UnsafeMutableBufferPointer<Float>) -> Int {
    let count = unsafe sound.read(into: samples)
    place += count
    guard count == 0, isCall else { return count }
    let pause = min(samples.count / format.channels, AlertFrames.shortestCycle * format.rate - place)
    guard pause <= 0 else {
      unsafe samples.update(repeating: 0)
      place += pause
      return pause
    }
    guard place > 0, sound.rewind() else { return 0 }
    place = 0
    return unsafe next(samples)
  }
}

/// The reason why a file is no sound for a notification, in one clause.
struct UnfitSound: Error, CustomStringConvertible { let description: String }

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
    guard let description = decoder.description,
      let format = AudioFormat(
        rate: description.format.rate, channels: description.format.channels, sample: .f32)
    else { throw UnfitSound(description: "unknown format") }
    self.format = format
    if !isCall, let duration = description.duration, duration > FileSound.longest {
      throw UnfitSound(description: "longer than \(Int(FileSound.longest)) s")
    }
    var frame = [Float](repeating: 0, count: format.channels)
    let count = unsafe frame.withUnsafeMutableBufferPointer { unsafe read(into: $0) }
    guard count > 0, rewind() else { throw UnfitSound(description: decoder.shortfall ?? "no sound in it") }
  }

  func read(into samples: UnsafeMutableBufferPointer<Float>) -> Int {
    switch unsafe decoder.read(into: samples) {
    case .frames(let count): count
    case .pending, .end: 0
    }
  }

  func rewind() -> Bool { (try? decoder.seek(to: 0)) != nil }
}
