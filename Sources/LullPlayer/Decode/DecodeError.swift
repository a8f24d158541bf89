/// Why a file cannot be played; `description` is one clause.
public enum DecodeError: Error, Equatable, CustomStringConvertible {
  /// There is no file of this name.
  case notFound
  /// A folder, a pipe, a device.
  case notAFile
  /// The decoder's own words.
  case unreadable(String)
  /// More or less than a session takes.
  case impossibleFormat(rate: Int, channels: Int)
  /// It goes on only forward.
  case notSeekable

  /// One clause.
  public var description: String {
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
