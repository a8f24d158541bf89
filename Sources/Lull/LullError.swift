internal import LullEngine
internal import LullSystem
internal import LullWire

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

extension LullError {
  init(_ error: SystemError) {
    self = .system(code: error.code, error.description)
  }

  init(watching descriptor: Int32, _ error: SystemError) {
    self =
      error.isNotPermitted
      ? .notPollable("descriptor \(descriptor) cannot be watched") : LullError(error)
  }

  init(_ code: Code, _ message: String, name: String) {
    self =
      switch code {
      case .nameInUse: .nameInUse(name)
      case .wrongMode: .wrongMode(message)
      case .notPollable: .notPollable(message)
      case .noBackgroundTime: .noBackgroundTime
      case .tooManyLines, .tooManyTasks, .tooManyNotifications, .tooManyPrograms, .tooManyClients,
        .tooManySessions:
        .limitReached(message)
      default: .refused(message)
      }
  }

  init(_ refusal: Refusal) {
    self =
      switch refusal {
      case .noSuchNotification(let notification): .refused("no notification \(notification.number)")
      case .noSuchAction(let action): .refused("the notification has no action \"\(action)\"")
      case .keepAliveTooShort(_, let minimum):
        .refused("a keep-alive time-out is at least \(Int(minimum.seconds)) seconds")
      case .repeatTooShort(_, let minimum):
        .refused("a notification is repeated after at least \(Int(minimum.seconds)) seconds")
      case .tooManyLines(let limit): .limitReached("at most \(limit) lines per program")
      case .tooManyTasks(let limit): .limitReached("at most \(limit) tasks at once")
      case .tooManyNotifications(let limit): .limitReached("at most \(limit) scheduled notifications")
      case .noBackgroundTime: .noBackgroundTime
      case .wrongMode(let mode):
        .wrongMode("the program did not declare the mode \(mode.words.joined(separator: " or "))")
      case .gone: .ended
      case .programEnded(let name): .refused("\(name) has ended")
      // An engine with one program, and without sound, does not refuse like this.
      case .nameInUse, .noSuchLine, .noSuchTask, .noSuchSession, .tooManySessions, .cannotComeBack,
        .callRings, .isUnmanaged, .tooManyPrograms, .busy, .recordingDenied, .wasQuit, .crashes:
        .refused("\(refusal)")
      }
  }
}

extension Interval {
  /// An interval of some seconds, at most the bound; zero for a negative value or one that is no number.
  init(clampingSeconds seconds: Double, longest: Interval = Bounds.longest) {
    guard seconds > 0 else { self = .zero; return }
    self.init(nanoseconds: Int64(min(seconds, longest.seconds) * 1e9))
  }
}
