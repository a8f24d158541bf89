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

  /// The origin of a command's TCP connection. The command opened every connection that does not lead to a
  /// port on which the command has listened.
  public static func origin(ofPort port: UInt16, served: [UInt16]) -> LineOrigin {
    served.contains(port) ? .other : .opened
  }
}
