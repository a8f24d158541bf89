import LullWire

/// The reason why a subcommand failed.
enum Failure: Error, Equatable {
  /// No process listens on the control socket.
  case noDaemon
  /// The daemon refused.
  case refused(Code, String)
  /// The daemon closed the connection.
  case connectionLost
  /// The command line asks for something impossible.
  case usage(String)
  /// Any other reason, in one text line.
  case failed(String)
  /// Not a failure of Lull, but the status to exit with; everything has been printed.
  case status(Int32)

  /// An answer that breaks docs/PROTOCOL.md.
  static func unreadable(_ error: WireError) -> Failure {
    .failed("the daemon's answer cannot be read (\(error.message)); are lull and lulld of the same version?")
  }

  /// One text line for people; nil when there is nothing to print.
  var message: String? {
    switch self {
    case .noDaemon:
      "no daemon is running (start a program with \"lull run -- COMMAND\", or start lulld)"
    case .refused(_, let message), .usage(let message), .failed(let message):
      Printable.text(message)
    case .connectionLost:
      "the daemon closed the connection; try again, and see \"lull doctor\" if it happens again"
    case .status:
      nil
    }
  }

  /// The exit status: 64 is EX_USAGE; 127 and 126 are the shells' (POSIX, XCU 2.8.2).
  var exitStatus: Int32 {
    switch self {
    case .usage: 64
    case .refused(.notFound, _): 127
    case .refused(.notExecutable, _): 126
    case .status(let status): status
    case .noDaemon, .refused, .connectionLost, .failed: 1
    }
  }
}
