import LullWire

/// The reason why a subcommand failed.
enum Failure: Error, Equatable {
  /// The command line asks for something impossible.
  case usage(String)
  /// Any other reason, in one text line.
  case failed(String)
  /// The status to exit with; everything has been printed.
  case status(Int32)

  /// One text line for people; nil when everything has been printed.
  var message: String? {
    switch self {
    case .usage(let text), .failed(let text): Printable.text(text)
    case .status: nil
    }
  }

  /// The exit status; 64 is EX_USAGE of sysexits.h.
  var exitStatus: Int32 {
    switch self {
    case .usage: 64
    case .failed: 1
    case .status(let status): status
    }
  }
}
