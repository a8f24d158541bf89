/// The meaning of a signal that somebody sends to a program.
public enum SignalMeaning: Sendable {
  /// The signal ends the program whatever the program does, also in its sleep.
  case kills
  /// The signal asks the program to end, which takes some time.
  case asksToEnd
  /// The signal is for the program, which may sleep again when it has handled it.
  case wakes
}

/// The consequence for a program that was not detached when its terminal is gone.
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

  /// True for an end that means a fault: any signal but those that ask to end, an exit status other than 0
  /// and than 128 and the number of such a signal, by which a shell tells it, or a status that nobody
  /// learned.
  public static func isFault(_ status: ExitStatus) -> Bool {
    switch status {
    case .exited(0): false
    case .exited(let code): meaning(ofSignal: code - 128) != .asksToEnd
    case .signaled(let number): meaning(ofSignal: number) != .asksToEnd
    case .unknown: true
    }
  }
}
