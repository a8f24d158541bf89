import LullChannel
import LullSystem
package import LullWire

/// What a lull-guard knows of its own start, and hands to lulld and to a guard that replaces it.
///
/// The variables are those of sd_notify(3) and systemd.exec(5). They count for the process alone that they
/// were given to: a daemon that `lull run` starts in a unit of somebody else has them too.
package struct ServiceOptions: Equatable, Sendable {
  package var starter = Vocabulary.Starter.hand
  /// In seconds since 1970; nil in a guard that has just been started.
  package var since: Int64?
  /// The first character `@` stands for the abstract namespace.
  package var notifySocket: String?
  package var watchdogMicroseconds: Int64?

  private static let own = [
    "NOTIFY_SOCKET", "WATCHDOG_USEC", "WATCHDOG_PID", "LISTEN_PID", "LISTEN_FDS", "LISTEN_FDNAMES",
  ]

  package init() {}

  /// The environment of the process `pid`. `starter`: what its command line tells; a guard that a command of
  /// Lull's has started is no service.
  package init(
    pid: Int32, starter named: Vocabulary.Starter, at realtime: Int64,
    environment: (String) -> String? = Identity.environment
  ) {
    since = realtime / 1_000_000_000
    func given(_ name: String) -> String? { environment(name).flatMap { $0.isEmpty ? nil : $0 } }
    let isOther = given("SYSTEMD_EXEC_PID").map { $0 != "\(pid)" }
    let isBackground = named == .use || named == .daemonStart
    guard !isBackground, isOther != true else {
      starter = isBackground ? named : .hand
      return
    }
    notifySocket = given("NOTIFY_SOCKET")
    if isOther == false || notifySocket != nil { starter = .service }
    guard given("WATCHDOG_PID").map({ $0 == "\(pid)" }) ?? true else { return }
    watchdogMicroseconds = given("WATCHDOG_USEC").flatMap(Int64.init).flatMap { $0 > 0 ? $0 : nil }
  }

  package var arguments: [String] {
    var arguments = [DaemonLauncher.starterOption, starter.rawValue]
    if let since { arguments += ["--since", "\(since)"] }
    if let notifySocket { arguments += ["--notify-socket", notifySocket] }
    if let watchdogMicroseconds { arguments += ["--watchdog", "\(watchdogMicroseconds)"] }
    return arguments
  }

  package var watchdogSeconds: Double? { watchdogMicroseconds.map { Double($0) / 1e6 } }

  package static func passedOn(_ entries: [[UInt8]] = Identity.allEnvironment()) -> [[UInt8]] {
    entries.filter { entry in !own.contains { entry.starts(with: Array("\($0)=".utf8)) } }
  }
}
