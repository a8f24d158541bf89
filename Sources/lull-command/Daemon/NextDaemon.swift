import LullChannel
import LullSystem

/// The wait for the next daemon of a command that no daemon knows: nothing is done until the runtime
/// directory changes, or what broke off is due again.
struct NextDaemon: ~Copyable {
  /// The wait after a return that broke off, and after many, in nanoseconds.
  private static let firstWait: Int64 = 500_000_000, lastWait: Int64 = 60_000_000_000
  /// The returns that are tried again by time, for each change of the directory.
  private static let mostTries = 16

  private let changes: FileWatch
  private let registration: Slot
  private let path = RuntimeDirectory.controlSocket()
  /// The socket of a daemon that has refused the command, and is not asked again.
  private var refused: FileVersion?
  /// The returns in a row that broke off.
  private var failures = 0

  /// Throws when the directory cannot be watched: it is gone, or the user has too many watches.
  init(in reactor: Reactor<RunSession.Source>) throws(SystemError) {
    let changes = try FileWatch()
    try changes.add(RuntimeDirectory.path(), .names)
    registration = try reactor.add(changes.raw, .readable, as: .nextDaemon)
    self.changes = changes
  }

  func unwatch(in reactor: Reactor<RunSession.Source>) { reactor.remove(registration) }

  /// The directory has changed: what comes there is tried as often as ever.
  mutating func changed() {
    try? changes.drain()
    failures = 0
  }

  var mayHaveCome: Bool { FileVersion(path).map { $0 != refused } ?? false }

  mutating func noteRefusal() { refused = FileVersion(path) }

  /// The return broke off, though there is a socket, or nobody listens there yet: it is tried again after a
  /// while, later and later.
  mutating func brokeOff(in reactor: Reactor<RunSession.Source>) {
    failures += 1
    guard failures <= Self.mostTries else { return }
    let wait = min(Self.lastWait, Self.firstWait << Int64(failures - 1))
    try? reactor.arm(at: Clock.boottime() + wait)
  }
}
