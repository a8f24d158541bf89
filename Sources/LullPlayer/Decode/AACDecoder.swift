internal import CFaad

/// AAC in ADTS frames, as radios send it, by libfaad2 where that is installed.
@safe final class AACDecoder: PushDecoder {
  private static let headBytes = 7
  private let decoder: OpaquePointer
  private var bytes = WaitingQueue<UInt8>()
  private var isFinished = false
  private(set) var format: SoundFormat?
  let comments = Comments()

  /// Nil when libfaad2 is not installed.
  init?() {
    guard let decoder = unsafe cfaad_new() else { return nil }
    unsafe self.decoder = decoder
  }

  deinit { unsafe cfaad_free(decoder) }

  func feed(_ more: ArraySlice<UInt8>) { bytes.append(more) }

  func finish() { isFinished = true }

  func decode(onto samples: inout [Float]) -> DecodeStep {
    let head = Array(bytes.prefix(Self.headBytes))
    guard head.count == Self.headBytes else { return .starving }
    guard let length = Self.length(head) else { return passOver() }
    let frame = bytes.prefix(length + 2)
    guard frame.count == length + 2 || isFinished && frame.count >= length else { return .starving }
    // A frame is followed by a frame: a radio begins anywhere, and the mark may be in the sound.
    if frame.count == length + 2, !Self.isMark(frame.suffix(2)) { return passOver() }
    bytes.take(length)
    var (count, rate, channels): (Int, Int, Int32) = (0, 0, 0)
    unsafe frame.withUnsafeBufferPointer { frame in
      guard let floats = unsafe cfaad_decode(decoder, frame.baseAddress, length, &count, &rate, &channels)
      else { return count = 0 }
      unsafe samples += UnsafeBufferPointer(start: floats, count: count)
    }
    if count > 0 { format = SoundFormat(rate: rate, channels: Int(channels)) }
    return .decoded
  }

  /// The length of a frame with its head (ISO/IEC 13818-7, 6.2).
  private static func length(_ head: [UInt8]) -> Int? {
    let length = Int(head[3] & 3) << 11 | Int(head[4]) << 3 | Int(head[5] >> 5)
    return isMark(head.prefix(2)) && length > headBytes ? length : nil
  }

  private static func isMark(_ bytes: ArraySlice<UInt8>) -> Bool {
    bytes.first == 0xFF && bytes.last.map { $0 & 0xF6 == 0xF0 } ?? false
  }

  private func passOver() -> DecodeStep {
    bytes.take(bytes.prefix(1 << 12).dropFirst().prefix { $0 != 0xFF }.count + 1)
    return .decoded
  }
}
