import LullSystem
import LullWire

enum StandardOutput {
  static func write(_ text: String) throws(Failure) {
    do {
      try StandardStreams.write(Array(text.utf8), to: StandardStreams.output)
    } catch  where error.isConnectionLost {
      throw .status(128 + Signal.pipe)
    } catch  where error.isBadDescriptor {
      throw .failed("the output cannot be written: standard output is closed")
    } catch {
      throw .failed("the output cannot be written: \(error.message)")
    }
  }

  static func complain(_ text: String) {
    // When standard error is closed, the exit status still tells the failure.
    try? StandardStreams.write(
      Array("lull-player: \(Printable.text(text))\n".utf8), to: StandardStreams.error)
  }
}

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
