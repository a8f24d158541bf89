import LullChannel
import LullSystem

/// The signals that were sent to this process.
final class Signals {
  /// The meaning of a signal.
  enum News {
    /// A child has ended or was stopped.
    case childChanged
    /// This process is to end; the name of the signal.
    case stop(String)
  }

  private let descriptor: SignalDescriptor
  private let reactor: DaemonReactor
  private let registration: Slot
  private let journal: Journal
  /// True when a signal has asked this process to end.
  private(set) var areToStop = false
  /// True when the signals are polled beside the epoll set.
  private(set) var areApart = false
  private(set) var haveCome = false

  init(_ services: SharedServices) throws(SystemError) {
    (reactor, journal) = (services.reactor, services.journal)
    // The alarm is not among the signals: it ends this process, whatever that is doing.
    descriptor = try SignalDescriptor(
      blocking: Signal.endingHere().filter { $0 != Signal.alarm } + [Signal.child])
    registration = try reactor.add(descriptor.raw, .readable, as: .signals)
  }

  /// Polls the signals beside the epoll set from now on. A signalfd shows the signals of the process that
  /// polls: a guard that polls the set would take this process's news out of it.
  func pollApart() {
    guard !areApart else { return }
    areApart = true
    reactor.remove(registration)
  }

  /// Waits for the signals and for the set, once the signals are polled beside it.
  func wait(_ mayWait: Bool) throws(SystemError) {
    guard areApart else { return }
    var entries = [PollEntry(descriptor.raw, .readable), PollEntry(reactor.raw, .readable)]
    try Socket.pollMany(&entries, timeoutMilliseconds: mayWait ? -1 : 0)
    haveCome = !entries[0].readiness.isEmpty
  }

  /// The next signal's news; nil when all signals have been taken.
  func next() -> News? {
    guard let (signal, _) = journal.ignoring([], try descriptor.next()) ?? nil else { return nil }
    guard signal != Signal.child else { return .childChanged }
    areToStop = true
    return .stop(Signal.name(of: signal))
  }
}
