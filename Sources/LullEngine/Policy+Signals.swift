/// The meaning of a signal that somebody sends to a program.
public enum SignalMeaning: Sendable {
  /// The signal ends the program whatever the program does, also in its sleep.
  case kills
  /// The signal asks the program to end, which takes some time.
  case asksToEnd
  /// The signal is for the program, which may sleep again when it has handled it.
  case wakes
}

/// What a program that was not detached gets when its terminal is gone.
public struct HangUp: Equatable, Sendable {
  /// The signal to the program, by its number on Linux.
  public var signal: Int32
  /// The request to the engine that follows.
  public var transition: Transition
}

extension Policy {
  /// SIGHUP, as from the kernel to a session whose terminal is gone. A program that goes on is ended.
  public static let hangUp = HangUp(signal: 1, transition: .quit)

  /// The meaning of a signal, by its number on Linux: SIGKILL; SIGHUP, SIGINT, SIGQUIT and SIGTERM; any
  /// other.
  public static func meaning(ofSignal number: Int32) -> SignalMeaning {
    switch number {
    case 9: .kills
    case 1, 2, 3, 15: .asksToEnd
    default: .wakes
    }
  }

  /// True for any signal but those that ask to end, for an exit status that is neither 0 nor 128 and the
  /// number of such a signal (a shell tells a signal so), and for a status that nobody learned.
  public static func isFault(_ status: ExitStatus) -> Bool {
    switch status {
    case .exited(0): false
    case .exited(let code): meaning(ofSignal: code - 128) != .asksToEnd
    case .signaled(let number): meaning(ofSignal: number) != .asksToEnd
    case .unknown: true
    }
  }
}
