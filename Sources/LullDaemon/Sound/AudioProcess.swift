import LullEngine
import LullSystem
import LullWire

/// The life of lull-audio: the first audio session starts it, and it ends with the daemon. A lull-audio that
/// died is replaced. Moments are nanoseconds of CLOCK_BOOTTIME.
struct AudioProcess {
  private enum Life {
    /// No audio session needs it.
    case none
    case running(AudioLink, since: Int64)
    /// Another lull-audio is to be started.
    case missing(until: Int64)
  }

  private let launch: (_ former: DescriptorBox?) throws(SystemError) -> AudioLink
  private let policy: SupervisionPolicy
  private let journal: Journal
  private let reactor: DaemonReactor
  private var life = Life.none
  private var ending = EndingHelpers()
  /// The moment by which a lull-audio that was restarted has told what plays.
  private var newsDue: Int64?

  init(
    _ policy: SupervisionPolicy, journal: Journal, reactor: DaemonReactor,
    launch: @escaping (_ former: DescriptorBox?) throws(SystemError) -> AudioLink
  ) {
    (self.policy, self.journal, self.reactor, self.launch) = (policy, journal, reactor, launch)
  }

  var link: AudioLink? { if case .running(let link, _) = life { link } else { nil } }

  /// The moment of the next deadline.
  var deadline: Int64? {
    let restart: Int64? = if case .missing(let moment) = life { moment } else { nil }
    return [restart, newsDue, link?.stuckAt].compactMap(\.self).min()
  }

  var isDue: Bool { if case .missing(let moment) = life { moment <= Clock.boottime() } else { false } }

  /// Starts lull-audio; `former` leads to that of the lulld before.
  mutating func start(after former: DescriptorBox?) throws(SystemError) {
    let link = try launch(former)
    try link.watch(in: reactor)
    life = .running(link, since: Clock.boottime())
  }

  /// Puts off the start of a lull-audio that cannot be started for now.
  mutating func retryLater() {
    life = .missing(until: Clock.boottime() + policy.audioRetry.nanoseconds)
  }

  /// Takes note that lull-audio ended, which it may do while no session needs it. If it died while it was
  /// needed, another one is started: at once, or later after a short life, so that a lull-audio that cannot
  /// live does not use the machine up.
  mutating func ended(isNeeded: Bool) {
    guard case .running(let link, let since) = life else { return }
    link.close(in: reactor)
    journal.ignoring([], try Socket.poll(link.process.pidfd.raw, .readable, timeoutMilliseconds: 100))
    ending.add(link.process)
    ending.reap(journal)
    let now = Clock.boottime()
    let livedLong = now - since > policy.shortLife.nanoseconds
    life = isNeeded ? .missing(until: now + (livedLong ? 0 : policy.audioRestart.nanoseconds)) : .none
  }

  /// Sets the time for news: a session that lull-audio does not report as playing by then has ended
  /// meanwhile.
  mutating func awaitNews(for interval: Interval) { newsDue = Clock.boottime() + interval.nanoseconds }

  /// True once when the time for news is over.
  mutating func missesNews() -> Bool {
    guard let due = newsDue, due <= Clock.boottime() else { return false }
    newsDue = nil
    return true
  }

  /// A child of this process has ended or was stopped.
  mutating func childrenChanged() {
    ending.reap(journal)
    guard let link else { return }
    journal.ignoring(.ended, try link.process.continueIfStopped())
  }

  /// Ends a lull-audio that hangs: its end is noticed by the socket.
  func watch() {
    guard let link else { return }
    guard !link.isStuck else {
      journal.ignoring(.ended, try link.process.send(Signal.kill))
      return link.giveUp()
    }
    journal.ignoring(.removed, try link.updateInterest(in: reactor))
  }
}
