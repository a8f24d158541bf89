/// An error of the library, described in one text line for people.
public enum LullError: Error, Equatable, Sendable {
  /// No daemon answers and none could be started.
  case daemonUnavailable(String)
  /// The connection to the daemon broke before the answer came. The library reconnects by itself.
  case connectionLost
  /// The daemon did not answer within five seconds.
  case timedOut(String)
  /// A program of that name runs already.
  case nameInUse(String)
  /// The text is no valid name of a program.
  case invalidName(String)
  /// The program did not declare the mode that the call needs.
  case wrongMode(String)
  /// The descriptor cannot be watched: a regular file or a directory.
  case notPollable(String)
  /// A limit was reached; the text names it.
  case limitReached(String)
  /// A finite-length task cannot start: the time of this stay in the background has run out.
  case noBackgroundTime
  /// The call was refused for another reason.
  case refused(String)
  /// The host's name cannot be resolved.
  case unknownHost(String)
  /// The kernel's error number, and a text with the kernel's own words.
  case system(code: Int32, String)
  /// The application has left, or was terminated.
  case ended
}

extension LullError: CustomStringConvertible {
  /// The error in one text line.
  public var description: String {
    switch self {
    case .daemonUnavailable(let text), .limitReached(let text), .refused(let text), .unknownHost(let text),
      .wrongMode(let text), .notPollable(let text), .system(_, let text):
      text
    case .connectionLost: "the connection to the daemon was lost"
    case .timedOut(let what): "the daemon did not answer \(what) in time"
    case .nameInUse(let name): "a program named \(name) runs already"
    case .invalidName(let name):
      "\"\(name)\" is no name: 1 to 64 letters, digits, '.', '_' or '-', a letter or digit first"
    case .noBackgroundTime: "the time for tasks in this stay in the background has run out"
    case .ended: "the application has ended"
    }
  }
}
