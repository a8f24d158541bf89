import LullEngine
import LullGuard
import LullSystem

/// The life of lull-audio: the first audio session starts it, or the lulld before has left it, and it ends
/// with the daemon. A lull-audio that died is replaced.
struct AudioProcess {
  private let policy: SupervisionPolicy
  private var life: HelperLife<AudioLink>
  /// True for the lull-audio of the lulld before: its file may have been replaced.
  private(set) var isInherited = false
  /// An inherited lull-audio is ended at this moment, unless something needs it.
  private var retireAt: Int64?
  /// By this moment a lull-audio that was restarted has told what plays.
  private var newsDue: Int64?

  init(
    _ policy: SupervisionPolicy, journal: Journal, reactor: DaemonReactor,
    launch: @escaping () throws(SystemError) -> AudioLink
  ) {
    self.policy = policy
    life = HelperLife(journal, reactor, launch: launch)
  }

  var link: AudioLink? { life.link }
  var deadline: Int64? { [life.deadline, newsDue, retireAt].compactMap(\.self).min() }
  var isDue: Bool { life.isDue }

  mutating func start() throws(SystemError) { try life.start() }

  mutating func inherit(_ link: AudioLink) throws(SystemError) {
    try life.begin(link)
    isInherited = true
  }

  mutating func note(isNeeded: Bool) {
    guard isInherited else { return }
    retireAt = isNeeded ? nil : retireAt ?? Clock.boottime() + policy.audioClaim.nanoseconds
  }

  /// Nothing needs the inherited lull-audio any more, and the next session starts the installed file.
  /// Returns true when it was ended.
  mutating func retireIfDue() -> Bool {
    guard let retireAt, retireAt <= Clock.boottime(), link != nil else { return false }
    life.dismiss()
    (isInherited, self.retireAt) = (false, nil)
    return true
  }

  mutating func retryLater() { life.want(at: Clock.boottime() + policy.audioRetry.nanoseconds) }

  /// lull-audio may end while no session needs it. If it died while it was needed, another one is started:
  /// at once, or later after a short life, so that a lull-audio that cannot live does not use the machine
  /// up.
  mutating func ended(isNeeded: Bool) {
    guard let lived = life.ended() else { return }
    (isInherited, retireAt) = (false, nil)
    let wait = lived > policy.shortLife.nanoseconds ? 0 : policy.audioRestart.nanoseconds
    if isNeeded { life.want(at: Clock.boottime() + wait) }
  }

  /// A session that lull-audio does not report as playing by then has ended meanwhile.
  mutating func awaitNews(for interval: Interval) { newsDue = Clock.boottime() + interval.nanoseconds }

  mutating func missesNews() -> Bool {
    guard let due = newsDue, due <= Clock.boottime() else { return false }
    newsDue = nil
    return true
  }

  mutating func childrenChanged() { life.childrenChanged() }

  func watch() { life.watch() }
}
