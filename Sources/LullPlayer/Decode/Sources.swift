internal import LullModel
internal import LullWire

struct SoundFormat: Equatable {
  var rate: Int
  var channels: Int
  /// The smallest samples that hold those of the sound without loss.
  var sample = SampleFormat.f32

  func checked() throws(DecodeError) -> FrameFormat {
    if let format = FrameFormat(rate: rate, channels: channels, sample: sample) { return format }
    throw .impossibleFormat(rate: rate, channels: channels)
  }
}

enum DecodeStep: Equatable {
  /// Perhaps samples; there may be more.
  case decoded
  /// More bytes are needed; after the last there are no more samples.
  case starving
  /// The reason, in one clause.
  case failed(String)

  /// The most bytes in a row without a sample: a head may have pictures, and a stream may be forged.
  static let mostSilentBytes = 1 << 24
  /// The reason of the failure where more come.
  static let silence = "no sound in \(mostSilentBytes >> 20) MiB of it"
}

/// Turns bytes into interleaved floats.
protocol SoundSource: AnyObject {
  /// The format; nil until enough bytes have come.
  var format: SoundFormat? { get }
  var comments: Comments { get }
  /// The number of frames of the whole; nil when it is not known.
  var frames: Int64? { get }
  func decode(onto samples: inout [Float]) -> DecodeStep
}

extension SoundSource {
  var frames: Int64? { nil }
}

/// A decoder that takes the bytes as they come.
protocol PushDecoder: SoundSource {
  func feed(_ bytes: ArraySlice<UInt8>)
  func finish()
}

/// A decoder that brings the bytes of a file to itself: `starving` is the end of the file.
protocol FileSource: SoundSource {
  /// The byte at which the file is read on; nil for the place of its descriptor, of which a library that
  /// reads by itself has a duplicate.
  var place: Int64? { get }
  /// Goes to a frame or one before it, and returns the one that was reached; nil when the file can only be
  /// read forward.
  func seek(to frame: Int64) -> Int64?
}

extension FileSource {
  var place: Int64? { nil }
}

extension [Float] {
  /// Appends at most `room` samples that are written to this place; returns their number.
  mutating func append(atMost room: Int, _ write: (UnsafeMutablePointer<Float>) -> Int) -> Int {
    let start = count
    self += [Float](repeating: 0, count: room)
    let written = unsafe withUnsafeMutableBufferPointer { samples in
      unsafe samples.baseAddress.map { unsafe write($0 + start) } ?? 0
    }
    removeSubrange((start + written)...)
    return written
  }
}

enum SoundKind: Equatable {
  case mp3, ogg, flac, aac, other

  /// The kind by the first bytes, else by the server's content type; nil when more bytes are needed.
  init?(_ head: some Collection<UInt8>, type: String = "") {
    let bytes = Array(head.prefix(4))
    guard bytes.count == 4 else { return nil }
    let isFrame = bytes[0] == 0xFF && bytes[1] & 0xE0 == 0xE0
    if bytes.elementsEqual("OggS".utf8) {
      self = .ogg
    } else if bytes.elementsEqual("fLaC".utf8) {
      self = .flac
    } else if bytes.starts(with: "ID3".utf8) {
      self = .mp3
    } else if type.holds("aac") || isFrame && bytes[1] & 0x16 == 0x10 {
      self = .aac
    } else {
      // A radio may begin in the middle of a frame.
      self = isFrame || ["audio/mpeg", "audio/mp3"].contains(type) ? .mp3 : .other
    }
  }

  func decoder(isLive: Bool, type: String) throws(DecodeError) -> any PushDecoder {
    switch self {
    case .mp3: return try MP3Decoder(isLive: isLive)
    case .ogg: return OggDecoder()
    case .flac: return try FlacDecoder()
    case .aac:
      if let decoder = AACDecoder() { return decoder }
      throw .unreadable("AAC needs libfaad2, which is not installed")
    case .other: throw .unreadable("\(type.isEmpty ? "it" : type) cannot be played as a stream")
    }
  }
}

struct WaitingQueue<Element> {
  private var storage: [Element] = []
  private var start = 0

  var count: Int { storage.count - start }
  var isEmpty: Bool { count == 0 }

  mutating func append(_ more: some Collection<Element>) { storage.append(contentsOf: more) }

  mutating func append<Result>(by appending: (inout [Element]) -> Result) -> Result { appending(&storage) }

  func prefix(_ wanted: Int) -> ArraySlice<Element> { storage[start...].prefix(wanted) }

  @discardableResult
  mutating func take(_ wanted: Int) -> ArraySlice<Element> {
    let taken = prefix(max(0, wanted))
    start += taken.count
    // What was taken is freed when it is more than what waits.
    if start > storage.count / 2, start > 1 << 16 || start == storage.count {
      storage.removeFirst(start)
      start = 0
    }
    return taken
  }
}
