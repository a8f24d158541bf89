import LullEngine
import LullGuard
import LullSystem

/// The life of lull-audio: the first audio session starts it, or the lulld before has left it, and it ends
/// with the daemon. A lull-audio that died is replaced. Moments are nanoseconds of CLOCK_BOOTTIME.
struct AudioProcess {
  private enum Life {
    case none
    case running(AudioLink, since: Int64)
    case missing(until: Int64)
  }

  private let launch: () throws(SystemError) -> AudioLink
  private let policy: SupervisionPolicy
  private let journal: Journal
  private let reactor: DaemonReactor
  private var life = Life.none
  private var ending = EndingHelpers()
  /// True for the lull-audio of the lulld before: its file may have been replaced.
  private(set) var isInherited = false
  /// The moment at which an inherited lull-audio is ended, unless something needs it.
  private var retireAt: Int64?
  /// The moment by which a lull-audio that was restarted has told what plays.
  private var newsDue: Int64?

  init(
    _ policy: SupervisionPolicy, journal: Journal, reactor: DaemonReactor,
    launch: @escaping () throws(SystemError) -> AudioLink
  ) {
    (self.policy, self.journal, self.reactor, self.launch) = (policy, journal, reactor, launch)
  }

  var link: AudioLink? { if case .running(let link, _) = life { link } else { nil } }

  var deadline: Int64? {
    let restart: Int64? = if case .missing(let moment) = life { moment } else { nil }
    return [restart, newsDue, retireAt, link?.stuckAt].compactMap(\.self).min()
  }

  var isDue: Bool { if case .missing(let moment) = life { moment <= Clock.boottime() } else { false } }

  mutating func start() throws(SystemError) { try begin(launch()) }

  mutating func inherit(_ link: AudioLink) throws(SystemError) {
    try begin(link)
    isInherited = true
  }

  private mutating func begin(_ link: AudioLink) throws(SystemError) {
    try link.watch(in: reactor)
    (life, isInherited, retireAt) = (.running(link, since: Clock.boottime()), false, nil)
  }

  mutating func note(isNeeded: Bool) {
    guard isInherited else { return }
    retireAt = isNeeded ? nil : retireAt ?? Clock.boottime() + policy.audioClaim.nanoseconds
  }

  /// Ends an inherited lull-audio that nothing needs any more, so that the next session starts the installed
  /// file. Returns true when it did.
  mutating func retireIfDue() -> Bool {
    guard let retireAt, retireAt <= Clock.boottime(), let link else { return false }
    // It ends with its link, and is no child of this process.
    link.close(in: reactor)
    (life, isInherited, self.retireAt) = (.none, false, nil)
    return true
  }

  mutating func retryLater() {
    life = .missing(until: Clock.boottime() + policy.audioRetry.nanoseconds)
  }

  /// Takes note that lull-audio ended, which it may do while no session needs it. If it died while it was
  /// needed, another one is started: at once, or later after a short life, so that a lull-audio that cannot
  /// live does not use the machine up.
  mutating func ended(isNeeded: Bool) {
    guard case .running(let link, let since) = life else { return }
    link.close(in: reactor)
    (isInherited, retireAt) = (false, nil)
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

  mutating func missesNews() -> Bool {
    guard let due = newsDue, due <= Clock.boottime() else { return false }
    newsDue = nil
    return true
  }

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
