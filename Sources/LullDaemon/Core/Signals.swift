import LullChannel
import LullSystem

final class Signals {
  enum News {
    case childChanged
    case stop(String)
  }

  private let descriptor: SignalDescriptor
  private let reactor: DaemonReactor
  private let registration: Slot
  private let journal: Journal
  private(set) var areToStop = false
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

  func wait(_ mayWait: Bool) throws(SystemError) {
    guard areApart else { return }
    var entries = [PollEntry(descriptor.raw, .readable), PollEntry(reactor.raw, .readable)]
    try Socket.pollMany(&entries, timeoutMilliseconds: mayWait ? -1 : 0)
    haveCome = !entries[0].readiness.isEmpty
  }

  func next() -> News? {
    guard let (signal, _) = journal.ignoring([], try descriptor.next()) ?? nil else { return nil }
    guard signal != Signal.child else { return .childChanged }
    areToStop = true
    return .stop(Signal.name(of: signal))
  }
}
