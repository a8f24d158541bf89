/// The options of `lull run` that the file of an installed program may have.
package enum InstalledOption: String, CaseIterable, Sendable {
  case mode = "--mode"
  case keepAlive = "--keep-alive"
  case wakeOn = "--wake-on"
  case ignore = "--ignore"
  case tcpKeepAlive = "--tcp-keepalive"
  case udpKeepAlive = "--udp-keepalive"
  case udpKeepAliveTo = "--udp-keepalive-to"
  case linger = "--linger"
  case timers = "--timers"
  case batchWakes = "--batch-wakes"
  case deepBuffer = "--deep-buffer"
  case silence = "--silence"
  case scheme = "--scheme"
  case environment = "--env"
  case output = "--output"
  case stdin = "--stdin"
  case terminal = "--tty"
  case exitsOnSuspend = "--exits-on-suspend"
  case noCompact = "--no-compact"
  case keepLines = "--keep-lines"
  case purgeable = "--purgeable"
  case memorySignal = "--memory-signal"

  /// What stands behind an option.
  package enum Kind: Sendable {
    /// Nothing.
    case flag
    case text
    case seconds
    /// A text; the option may stand several times.
    case list
  }

  /// What stands behind the option.
  package var kind: Kind {
    switch self {
    case .terminal, .exitsOnSuspend, .noCompact, .keepLines, .purgeable: .flag
    case .wakeOn, .ignore, .scheme, .environment: .list
    case .mode, .udpKeepAliveTo, .timers, .output, .stdin, .memorySignal: .text
    case .keepAlive, .tcpKeepAlive, .udpKeepAlive, .linger, .batchWakes, .deepBuffer, .silence: .seconds
    }
  }

  /// The reason for which an option of `lull run` or `lull install` makes no sense in a file; nil for one
  /// that no option is.
  static func objection(to word: String) -> String? {
    switch word {
    case "--detach": "an installed program is always detached; take it out"
    case "--name": "the name of the file is the program's name; take it out, or rename the file"
    case "--no-start", "--replace": "only for \"lull install\", and not for a file; take it out"
    default: nil
    }
  }
}
