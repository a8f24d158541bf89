import LullGuard
import LullSystem

/// The life of lull-audio or lull-notify, from its start by the daemon until its status is taken. Moments are
/// nanoseconds of CLOCK_BOOTTIME.
struct HelperLife<Link: HelperLink> {
  private enum State {
    case none
    case running(Link, since: Int64)
    case missing(until: Int64)
  }

  private let launch: () throws(SystemError) -> Link
  private let journal: Journal
  private let reactor: DaemonReactor
  private var state = State.none
  private var ending = EndingHelpers()

  init(_ journal: Journal, _ reactor: DaemonReactor, launch: @escaping () throws(SystemError) -> Link) {
    (self.journal, self.reactor, self.launch) = (journal, reactor, launch)
  }

  var link: Link? { if case .running(let link, _) = state { link } else { nil } }

  var deadline: Int64? { if case .missing(let moment) = state { moment } else { link?.stuckAt } }

  var isDue: Bool { if case .missing(let moment) = state { moment <= Clock.boottime() } else { false } }

  /// At this moment, unless there is one or one is to be started before.
  mutating func want(at moment: Int64) { if case .none = state { state = .missing(until: moment) } }

  mutating func start() throws(SystemError) {
    state = .none
    try begin(launch())
  }

  mutating func begin(_ link: Link) throws(SystemError) {
    try link.watch(in: reactor)
    state = .running(link, since: Clock.boottime())
  }

  mutating func dismiss() {
    guard let link else { return }
    link.close(in: reactor)
    ending.add(link.process)
    state = .none
  }

  /// Returns the time for which the process has lived.
  mutating func ended() -> Int64? {
    guard case .running(let link, let since) = state else { return nil }
    link.close(in: reactor)
    journal.ignoring([], try Socket.poll(link.process.pidfd.raw, .readable, timeoutMilliseconds: 100))
    ending.add(link.process)
    ending.reap(journal)
    state = .none
    return Clock.boottime() - since
  }

  mutating func childrenChanged() {
    ending.reap(journal)
    guard let link else { return }
    journal.ignoring(.ended, try link.process.continueIfStopped())
  }

  /// The end of a process that hangs is noticed by the socket.
  func watch() {
    guard let link else { return }
    guard !link.isStuck else {
      journal.ignoring(.ended, try link.process.send(Signal.kill))
      return link.giveUp()
    }
    journal.ignoring(.removed, try link.updateInterest(in: reactor))
  }
}
