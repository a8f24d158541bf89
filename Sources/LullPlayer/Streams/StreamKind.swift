/// The kind of a stream's bytes: by their beginning, else by the server's content type.
enum StreamKind: Equatable {
  case mp3, ogg, flac
  /// A kind that cannot be played; one clause says which.
  case unknown(String)

  /// The reason why there is no decoder.
  struct Unplayable: Error, Equatable {
    let reason: String
  }

  /// The kind; nil: more bytes are needed.
  init?(_ head: ArraySlice<UInt8>, type: String) {
    guard head.count >= 4 else { return nil }
    let bytes = Array(head.prefix(4))
    if bytes.elementsEqual("OggS".utf8) {
      self = .ogg
    } else if bytes.elementsEqual("fLaC".utf8) {
      self = .flac
    } else if bytes.starts(with: "ID3".utf8) {
      self = .mp3
    } else if type.contains("aac") || bytes[0] == 0xFF && bytes[1] & 0xF6 == 0xF0 {
      self = .unknown("AAC cannot be played")
    } else if type == "audio/mpeg" || type == "audio/mp3" || bytes[0] == 0xFF && bytes[1] & 0xE0 == 0xE0 {
      // A radio may begin in the middle of a frame.
      self = .mp3
    } else {
      self = .unknown("\(type.isEmpty ? "it" : type) cannot be played as a stream")
    }
  }

  func decoder(isLive: Bool) -> Result<any PushDecoder, Unplayable> {
    let decoder: (any PushDecoder)?
    switch self {
    case .mp3: decoder = MP3Decoder(isLive: isLive)
    case .ogg: decoder = OggDecoder()
    case .flac: decoder = FlacDecoder()
    case .unknown(let reason): return .failure(Unplayable(reason: reason))
    }
    guard let decoder else { return .failure(Unplayable(reason: "no memory for a decoder")) }
    return .success(decoder)
  }
}
