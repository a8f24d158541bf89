import LullWire

/// Why a command was not carried out.
enum Failure: Error, Equatable {
  /// The command line asks for something impossible.
  case usage(String)
  /// Anything else, in one line.
  case failed(String)
  /// Everything has been said: the status to exit with.
  case status(Int32)

  /// One line for people; nil when everything has been said.
  var message: String? {
    switch self {
    case .usage(let text), .failed(let text): Printable.text(text)
    case .status: nil
    }
  }

  /// 64 is EX_USAGE of sysexits.h.
  var exitStatus: Int32 {
    switch self {
    case .usage: 64
    case .failed: 1
    case .status(let status): status
    }
  }
}
