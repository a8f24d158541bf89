/// Why a file cannot be played; `description` is one clause.
enum DecodeError: Error, Equatable, CustomStringConvertible {
  case notFound
  case notAFile
  /// libsndfile's own words.
  case unreadable(String)
  case impossibleFormat(rate: Int, channels: Int)
  case notSeekable

  var description: String {
    switch self {
    case .notFound: "no such file"
    case .notAFile: "not a regular file"
    case .unreadable(let reason): reason
    case .impossibleFormat(let rate, let channels):
      "\(rate) Hz with \(channels) channel\(channels == 1 ? "" : "s") cannot be played "
        + "(8000 to 192000 Hz, 1 to 8 channels)"
    case .notSeekable: "the position cannot be changed in this file"
    }
  }
}
