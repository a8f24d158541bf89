import LullChannel
import LullSystem
import LullWire

/// The notices that a subcommand follows, over a restart of the daemon too, and the signals that it takes
/// meanwhile.
final class Following {
  enum Source {
    case daemon, signals, keys
  }

  /// The time that a restarted daemon may take to accept again, in nanoseconds.
  private static let patience: Int64 = 10_000_000_000

  let reactor: Reactor<Source>
  private var connection: Connection
  private let signals: SignalDescriptor

  init(_ connection: consuming Connection, signals numbers: [Int32] = [Signal.terminate]) throws(Failure) {
    self.connection = connection
    try self.connection.greet()
    signals = try explained("cannot take signals", SignalDescriptor(blocking: numbers))
    reactor = try explained("cannot wait for the daemon", Reactor())
    try explained("cannot wait for the daemon", reactor.add(signals.raw, .readable, as: .signals))
    try self.connection.watch(in: reactor, as: .daemon)
  }

  func ask(_ request: Request) throws(Failure) -> [Message] { try connection.ask(request).items }

  func ask<Answer>(
    _ question: (inout Connection) throws(Failure) -> Answer
  ) throws(Failure) -> Answer { try question(&connection) }

  func nextNotice() throws(Failure) -> Message? { try connection.nextNotice() }

  /// Waits until something has come, or until a moment of CLOCK_BOOTTIME in nanoseconds.
  func wait(until moment: Int64? = nil) throws(Failure) {
    let words = "cannot wait for the daemon"
    try explained(words, reactor.arm(at: moment))
    try explained(words, reactor.wait())
    try explained(words, reactor.takeExpiration())
  }

  func nextSignal() throws(Failure) -> Int32? { try explained("cannot read signals", signals.next()?.signal) }

  /// Connects to the next daemon and begins anew with it; false when a signal waits to be taken meanwhile.
  func connectAgain(_ begin: () throws(Failure) -> Void) throws(Failure) -> Bool {
    let deadline = Clock.boottime() + Self.patience
    while true {
      connection.unwatch(in: reactor)
      do throws(Failure) {
        connection = try Daemon.connect()
        try connection.watch(in: reactor, as: .daemon)
        try begin()
        return true
      } catch {
        guard error == .noDaemon || error == .connectionLost, Clock.boottime() < deadline else { throw error }
      }
      try explained("cannot wait for the daemon", reactor.wait(timeoutMilliseconds: 0))
      if reactor.events.contains(where: { reactor[$0]?.source == .signals }) { return false }
      Daemon.pause()
    }
  }
}
