import LullEngine
import LullGuard
import LullSystem

/// The life of lull-notify: it is started when something is to be shown, and ended when nothing is left to
/// do. One that died is replaced while it is needed. Moments are nanoseconds of CLOCK_BOOTTIME.
struct NotifyProcess {
  private enum Life {
    case none
    case running(NotifyLink, since: Int64)
    /// A lull-notify is to be started at this moment.
    case missing(until: Int64)
  }

  private let launch: () throws(SystemError) -> NotifyLink
  private let policy: SupervisionPolicy
  private let journal: Journal
  private let reactor: DaemonReactor
  private var life = Life.none
  private var ending = EndingHelpers()
  private var backoff: Backoff
  private var shortLives = 0

  init(
    _ policy: SupervisionPolicy, journal: Journal, reactor: DaemonReactor,
    launch: @escaping () throws(SystemError) -> NotifyLink
  ) {
    (self.policy, self.journal, self.reactor, self.launch) = (policy, journal, reactor, launch)
    backoff = Backoff(policy)
  }

  var link: NotifyLink? { if case .running(let link, _) = life { link } else { nil } }
  var deadline: Int64? { if case .missing(let moment) = life { moment } else { link?.stuckAt } }

  var isDue: Bool { if case .missing(let moment) = life { moment <= Clock.boottime() } else { false } }

  /// True when it was given up, since it always ends at once.
  var isHopeless: Bool { shortLives >= policy.notifyShortLives }

  /// Has one started at the end of this turn where there is none: who asks does not wait for it.
  mutating func want() { if case .none = life { life = .missing(until: 0) } }

  mutating func start() throws(SystemError) {
    do {
      let link = try launch()
      try link.watch(in: reactor)
      life = .running(link, since: Clock.boottime())
    } catch {
      life = .none
      throw error
    }
  }

  /// Ends the link, by which lull-notify ends.
  mutating func dismiss() {
    guard let link else { return }
    link.close(in: reactor)
    ending.add(link.process)
    (life, shortLives) = (.none, 0)
  }

  mutating func ended(isNeeded: Bool) {
    guard case .running(let link, let since) = life else { return }
    link.close(in: reactor)
    journal.ignoring([], try Socket.poll(link.process.pidfd.raw, .readable, timeoutMilliseconds: 100))
    ending.add(link.process)
    ending.reap(journal)
    let lived = Clock.boottime() - since
    shortLives = lived < policy.shortLife.nanoseconds ? shortLives + 1 : 0
    guard isNeeded, !isHopeless else { return life = .none }
    life = .missing(until: Clock.boottime() + backoff.next(after: lived))
  }

  mutating func childrenChanged() {
    ending.reap(journal)
    guard let link else { return }
    journal.ignoring(.ended, try link.process.continueIfStopped())
  }

  /// Ends a lull-notify that hangs: its end is noticed by the socket.
  func watch() {
    guard let link else { return }
    guard !link.isStuck else {
      journal.ignoring(.ended, try link.process.send(Signal.kill))
      return link.giveUp()
    }
    journal.ignoring(.removed, try link.updateInterest(in: reactor))
  }
}
