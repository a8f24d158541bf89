import LullChannel
import LullSystem

/// The wait for the next daemon of a command that no daemon knows: nothing is done until the runtime
/// directory changes.
struct NextDaemon: ~Copyable {
  private let changes: FileWatch
  private let registration: Slot
  private let path = RuntimeDirectory.controlSocket()
  /// The socket of a daemon that has refused the command, and is not asked again.
  private var refused: FileVersion?

  /// Throws when the directory cannot be watched: it is gone, or the user has too many watches.
  init(in reactor: Reactor<RunSession.Source>) throws(SystemError) {
    let changes = try FileWatch()
    try changes.add(RuntimeDirectory.path(), .names)
    registration = try reactor.add(changes.raw, .readable, as: .nextDaemon)
    self.changes = changes
  }

  /// Takes it out of the reactor.
  func unwatch(in reactor: Reactor<RunSession.Source>) { reactor.remove(registration) }

  /// True when a daemon accepts that has not refused the command.
  func hasCome() -> Bool {
    try? changes.drain()
    guard UnixSocket.isListening(path: path) else { return false }
    return refused == nil || FileVersion(path) != refused
  }

  /// The daemon that runs has refused the command.
  mutating func noteRefusal() { refused = FileVersion(path) }
}
