/// The reason why a file cannot be played; `description` is one clause.
public enum DecodeError: Error, Equatable, CustomStringConvertible {
  /// There is no file of this name.
  case notFound
  /// The path is no regular file, but a folder, a pipe or a device.
  case notAFile
  /// The decoder's reason, in its own words.
  case unreadable(String)
  /// An audio session does not take this rate, or so many channels.
  case impossibleFormat(rate: Int, channels: Int)
  /// The file can only be read forward.
  case notSeekable

  /// The error in one clause.
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
