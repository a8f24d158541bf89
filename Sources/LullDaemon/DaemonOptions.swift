import LullSystem

/// How a daemon was told to run.
public struct DaemonOptions: Sendable {
  /// The version of the project.
  public static let version = "0.1.0"
  /// The descriptors that lull-guard and lulld hand to each other.
  public static let listenerNumber: Int32 = 3, linkNumber: Int32 = 4
  /// The pidfd of itself that lulld hands to a guard in place of one that died.
  static let wardNumber: Int32 = 5
  /// The epoll set of lulld, in which something waits when lulld has stopped.
  static let wardEpollNumber: Int32 = 6
  /// The lock of the runtime directory.
  static let lockNumber: Int32 = 7

  /// The engine's clock runs so many times faster.
  public var clockRate: Int64 = 1
  /// CLOCK_BOOTTIME where both clocks showed the same.
  public var clockBase: Int64 = 0
  /// The directory of the programs' cgroups; nil for none.
  public var cgroupRoot: String?
  /// How often lulld was started again.
  public var restarts = 0
  /// Connections at once.
  public var maximumClients = 4096
  /// Connections of one program, or of one process outside every program.
  public var maximumConnections = 256
  /// Of all connections, those that only an operator with hardly any gets.
  public var reservedClients = 64
  /// The limit of open files that commands are started with.
  public var openFileLimit: Int?
  /// Started by lull-guard, with its descriptors.
  public var isGuarded = false
  /// Go to the background when the socket accepts.
  public var daemonizes = false
  /// The descriptor on which to report readiness.
  public var readyNumber: Int32?
  /// The lock of the runtime directory came with the other descriptors.
  public var isLocked = false
  /// Its number here.
  var lockSource = DaemonOptions.lockNumber
  /// Take over a running lulld whose guard died.
  public var adopts = false
  /// `--help` or `--version` was asked for.
  public var information: String?

  /// Fewer connections where there are few descriptors, so that they alone cannot use them up.
  mutating func limitClients(openFiles: Int) {
    maximumClients = min(maximumClients, max(16, (openFiles - 256) / Client.maximumDescriptors))
    maximumConnections = min(maximumConnections, maximumClients / 2)
    reservedClients = min(reservedClients, maximumClients / 4)
  }

  /// The arguments that the other of the pair has to know.
  var shared: [String] {
    var arguments = [
      "--clock-rate", "\(clockRate)", "--clock-base", "\(clockBase)", "--restarts", "\(restarts)",
    ]
    if let cgroupRoot { arguments += ["--cgroup-root", cgroupRoot] }
    if isLocked { arguments.append("--locked") }
    return arguments
  }

  /// What is wrong with the arguments, in one line.
  public struct UsageError: Error, Equatable, CustomStringConvertible {
    /// The line.
    public let description: String
  }

  /// Reads the arguments of lulld and lull-guard; `usage` is the text of `--help`.
  public static func parse(_ arguments: [String], usage: String) throws(UsageError) -> DaemonOptions {
    var options = DaemonOptions()
    options.clockBase = Clock.boottime()
    var rest = arguments[...]
    while let argument = rest.popFirst() {
      let parts = argument.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(
        String.init)
      let name = parts.first ?? ""
      func value() throws(UsageError) -> String {
        guard let value = parts.count == 2 ? parts[1] : rest.popFirst() else {
          throw UsageError(description: "\(name) needs a value")
        }
        return value
      }
      func noValue() throws(UsageError) -> Bool {
        guard parts.count == 1 else { throw UsageError(description: "\(name) takes no value") }
        return true
      }
      switch name {
      case "--clock-rate": options.clockRate = try number(value(), name, 1...1000)
      case "--clock-base": options.clockBase = try number(value(), name, 0 ... .max)
      case "--cgroup-root": options.cgroupRoot = try value()
      case "--restarts": options.restarts = Int(try number(value(), name, 0 ... .max))
      case "--ready": options.readyNumber = Int32(truncatingIfNeeded: try number(value(), name, 0...1023))
      case "--guarded": options.isGuarded = try noValue()
      case "--locked": options.isLocked = try noValue()
      case "--adopt": options.adopts = try noValue()
      case "--daemonize": options.daemonizes = try noValue()
      case "--version": options.information = "lull \(version)"
      case "--help", "-h": options.information = usage
      default: throw UsageError(description: "unknown option \"\(argument)\"; --help lists the options")
      }
    }
    return options
  }

  private static func number(_ text: String, _ name: String, _ range: ClosedRange<Int64>) throws(UsageError)
    -> Int64
  {
    guard let value = Int64(text), range.contains(value) else {
      let bounds =
        range.upperBound == .max
        ? "\(range.lowerBound) or more" : "\(range.lowerBound) to \(range.upperBound)"
      throw UsageError(description: "\(name) needs a whole number, \(bounds), not \"\(text)\"")
    }
    return value
  }
}
