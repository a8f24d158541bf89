internal import LullChannel
internal import LullProgram
package import LullSystem
internal import LullWire

package struct DaemonOptions: Sendable {
  package static let version = Version.current
  package static let guardName = DaemonLauncher.guardName
  /// The descriptors that lull-guard and lulld hand to each other.
  package static let listenerNumber: Int32 = 3, linkNumber: Int32 = 4
  /// The pidfd of a lulld that runs, and its epoll set, which has events waiting when it has stopped: its new
  /// guard is not its parent, and is not told.
  package static let childNumber: Int32 = 5, epollNumber: Int32 = 6
  package static let lockNumber: Int32 = 7
  /// The pidfd of the guard that is replaced and lives.
  package static let predecessorNumber: Int32 = 8

  /// The fewest descriptors with which lulld can start a command, a few of them kept for its operator.
  package static let fewestOpenFiles = 64

  /// The seconds that a turn of lulld's loop may take before the alarm ends lulld, and the guard starts
  /// another one.
  package static let longestTurn = 4

  /// The speed of the engine's clock, as a multiple of the kernel's.
  package var clockRate: Int64 = 1
  /// CLOCK_BOOTTIME in nanoseconds where both clocks showed the same.
  package var clockBase: Int64 = 0
  package var cgroupRoot: String?
  /// The times that lulld died. An upgrade does not count.
  package var restarts = 0
  package var maximumClients = 4096
  /// Of one program, or of one process outside every program.
  package var maximumConnections = 256
  /// Connections for an operator with hardly any.
  package var reservedClients = 64
  /// The limit of open files with which commands are started.
  package var openFileLimit: Int?
  package var isGuarded = false
  /// A lulld ended by a fault, not by a SIGKILL or SIGTERM from outside, and no lulld has begun since: what
  /// it was doing may be to blame.
  package var crashed = false
  /// False for a lulld that takes back what runs, and starts nothing that is installed.
  package var boots = true
  /// The installed program for which somebody has started the daemon: it is started for the user.
  package var wanted: String?
  package var daemonizes = false
  package var readyNumber: Int32?
  /// The lock of the runtime directory came with the other descriptors.
  package var isLocked = false
  /// The lock's descriptor in this process.
  var lockSource = DaemonOptions.lockNumber
  /// The guard is to take over a lulld that runs, whose guard has died or is replaced.
  package var adopts = false
  /// The guard of that lulld lives, until this one watches. Until it has ended, it alone goes on after a
  /// death of lulld.
  package var replaces = false
  package var service = ServiceOptions()
  package var information: String?

  package init() {}

  package var shared: [String] {
    var arguments = [
      "--clock-rate", "\(clockRate)", "--clock-base", "\(clockBase)", "--restarts", "\(restarts)",
    ]
    if let cgroupRoot { arguments += ["--cgroup-root", cgroupRoot] }
    if isLocked { arguments.append("--locked") }
    return arguments + service.arguments
  }

  /// The arguments for the first lulld alone: the state of the ledger counts for those that follow.
  var first: [String] {
    (boots ? [] : [DaemonLauncher.noBootOption]) + (wanted.map { [DaemonLauncher.wantedOption, $0] } ?? [])
  }

  package var lockPassed: [SpawnRequest.Passed] {
    isLocked ? [.init(lockSource, as: Self.lockNumber)] : []
  }

  package mutating func closeLockEarly() {
    guard isLocked else { return }
    lockSource = Descriptor(owning: lockSource).closedEarly().take()
  }

  /// Refuses an option with which lulld and lull-guard hand descriptors to each other where one is missing:
  /// it was given by hand.
  package func checkInherited() throws(UsageError) {
    var expected: [(option: String, numbers: [Int32])] = []
    if isGuarded { expected.append(("--guarded", [Self.listenerNumber, Self.linkNumber])) }
    if adopts {
      expected.append(
        ("--adopt", [Self.listenerNumber, Self.linkNumber, Self.childNumber, Self.epollNumber]))
    }
    if replaces { expected.append(("--replaces", [Self.predecessorNumber])) }
    if isLocked { expected.append(("--locked", [Self.lockNumber])) }
    if let readyNumber { expected.append(("--ready", [readyNumber])) }
    for (option, numbers) in expected {
      guard let missing = numbers.first(where: { !StandardStreams.isOpen($0) }) else { continue }
      throw UsageError(
        description: "\(option) is for Lull's own processes: no file is open as descriptor \(missing)")
    }
  }

  package struct UsageError: Error, Equatable, CustomStringConvertible {
    package let description: String
  }

  package static func parse(_ arguments: [String], usage: String) throws(UsageError) -> DaemonOptions {
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
      case "--clock-rate": options.clockRate = try number(value(), of: name, in: 1...1000)
      case "--clock-base": options.clockBase = try number(value(), of: name, in: 0 ... .max)
      case "--cgroup-root": options.cgroupRoot = try value()
      case "--restarts": options.restarts = Int(try number(value(), of: name, in: 0 ... .max))
      case DaemonLauncher.starterOption:
        options.service.starter = Vocabulary.Starter(rawValue: try value()) ?? .hand
      case "--since": options.service.since = try number(value(), of: name, in: 0 ... .max)
      case "--notify-socket": options.service.notifySocket = try value()
      case "--watchdog": options.service.watchdogMicroseconds = try number(value(), of: name, in: 1 ... .max)
      case "--ready":
        options.readyNumber = Int32(truncatingIfNeeded: try number(value(), of: name, in: 0...1023))
      case "--guarded": options.isGuarded = try noValue()
      case "--crashed": options.crashed = try noValue()
      case DaemonLauncher.noBootOption: options.boots = try !noValue()
      case "--locked": options.isLocked = try noValue()
      case "--adopt": options.adopts = try noValue()
      case "--replaces": options.replaces = try noValue()
      case DaemonLauncher.wantedOption: options.wanted = try value()
      case "--daemonize": options.daemonizes = try noValue()
      case "--version": options.information = "lull \(version)"
      case "--help", "-h": options.information = usage
      default:
        let kind = argument.hasPrefix("-") ? "unknown option" : "unexpected argument"
        throw UsageError(description: "\(kind) \"\(argument)\"; --help lists the options")
      }
    }
    return options
  }

  private static func number(_ text: String, of name: String, in range: ClosedRange<Int64>) throws(UsageError)
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
