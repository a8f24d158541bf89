import Lull
import LullPlayer

/// The sound of an alert from its beginning to its end: once, or again and again for a call.
final class AlertSound: Decoding {
  /// Seconds: the longest time for which a call rings, and the time from one beginning of a short sound to
  /// the next.
  private static let longestRinging = 60, shortestCycle = 3
  /// The longest sound of a notification that is no call, in seconds ("Local and Remote Notification
  /// Programming Guide", "Preparing Custom Alert Sounds").
  private static let longest = 30

  let state: DecoderState
  private(set) var frame: Int64 = 0
  var onChange: (() -> Void)?
  private let sound: any Decoding
  private let isCall: Bool
  private let (rate, channels): (Int, Int)
  /// The frames that are left until the alert is over.
  private var left: Int
  /// The frames since the sound began last.
  private var place = 0

  init(_ sound: some Decoding, isCall: Bool) {
    guard let format = sound.description?.format else { preconditionFailure("it is open") }
    (self.sound, self.isCall) = (sound, isCall)
    (state, rate, channels) = (.ready(MediaDescription(format: format)), format.rate, format.channels)
    left = (isCall ? Self.longestRinging : Self.longest) * format.rate
  }

  /// Opens a file and reads its first frame, so that a damaged one is found now.
  convenience init(path: [UInt8], isCall: Bool) throws(DecodeError) {
    let file = try FileDecoder(path: path)
    if !isCall, let duration = file.description?.duration, duration > Double(Self.longest) {
      throw .unreadable("longer than \(Self.longest) s")
    }
    var frame = [Float](repeating: 0, count: file.description?.format.channels ?? 0)
    let first = unsafe frame.withUnsafeMutableBufferPointer { unsafe file.read(into: $0) }
    guard first == .frames(1) else { throw .unreadable(file.shortfall ?? "no sound in it") }
    try file.seek(to: 0)
    self.init(file, isCall: isCall)
  }

  func read(into samples: UnsafeMutableBufferPointer<Float>) -> DecodedFrames {
    let room = min(samples.count / channels, left)
    guard room > 0 else { return .end }
    let part = unsafe UnsafeMutableBufferPointer(rebasing: samples[..<(room * channels)])
    while true {
      if case .frames(let count) = unsafe sound.read(into: part) { return passed(count) }
      guard isCall else { return .end }
      let pause = min(room, Self.shortestCycle * rate - place)
      if pause > 0 {
        unsafe part.update(repeating: 0)
        return passed(pause)
      }
      guard place > 0, (try? sound.seek(to: 0)) != nil else { return .end }
      place = 0
    }
  }

  private func passed(_ count: Int) -> DecodedFrames {
    (place, left, frame) = (place + count, left - count, frame + Int64(count))
    return .frames(count)
  }

  func seek(to frame: Int64) throws(DecodeError) { throw .notSeekable }
}
