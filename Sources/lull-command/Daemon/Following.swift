import LullChannel
import LullSystem

/// The wait of a subcommand that follows the daemon's notices. SIGTERM ends it in good order.
struct Following {
  private enum Source {
    case daemon, signals
  }

  private let reactor: Reactor<Source>
  private let signals: SignalSource

  /// The descriptor must outlive the reactor's interest in it.
  private final class SignalSource {
    let descriptor: SignalDescriptor

    init() throws(SystemError) { descriptor = try SignalDescriptor(blocking: [Signal.terminate]) }
  }

  init(_ connection: borrowing Connection) throws(Failure) {
    do throws(SystemError) {
      reactor = try Reactor()
      signals = try SignalSource()
      _ = try reactor.add(signals.descriptor.raw, .readable, as: .signals)
    } catch {
      throw .failed("cannot wait for the daemon: \(error)")
    }
    try connection.watch(in: reactor, as: .daemon)
  }

  func watch(_ connection: borrowing Connection) throws(Failure) {
    try connection.watch(in: reactor, as: .daemon)
  }

  func leave(_ connection: borrowing Connection) { connection.unwatch(in: reactor) }

  func isToEnd() throws(Failure) -> Bool { try !wait(0) }

  func wait() throws(Failure) -> Bool { try wait(-1) }

  private func wait(_ milliseconds: Int32) throws(Failure) -> Bool {
    try explained("cannot wait for the daemon", reactor.wait(timeoutMilliseconds: milliseconds))
    return !reactor.events.contains { reactor[$0]?.source == .signals }
  }
}
