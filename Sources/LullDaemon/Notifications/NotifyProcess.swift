import LullChannel
import LullEngine
import LullGuard
import LullSystem

/// The life of lull-notify: it is started when something is to be shown, and ended when nothing is left to
/// do. One that died is replaced while it is needed.
struct NotifyProcess {
  private let policy: SupervisionPolicy
  private var life: HelperLife<HelperLink>
  private var backoff: Backoff
  private var shortLives = 0

  init(
    _ policy: SupervisionPolicy, journal: Journal, reactor: DaemonReactor,
    launch: @escaping () throws(SystemError) -> HelperLink
  ) {
    self.policy = policy
    life = HelperLife(journal, reactor, launch: launch)
    backoff = Backoff(policy)
  }

  /// A flood that lull-notify cannot take is told anew, without what is over by then.
  static func link(
    _ descriptor: DescriptorBox, process: HelperProcess, longestWait: Int64
  ) -> HelperLink {
    HelperLink(descriptor, process: process, as: .notify, overload: .refuseMore, longestWait: longestWait)
  }

  static func launch(openFileLimit: Int?, longestWait: Int64) throws(SystemError) -> HelperLink {
    let (own, process) = try HelperLink.start(
      [Process.sibling("lull-notify")], openFileLimit: openFileLimit)
    return link(own, process: process, longestWait: longestWait)
  }

  var link: HelperLink? { life.link }
  var deadline: Int64? { life.deadline }
  var isDue: Bool { life.isDue }

  /// lull-notify was given up, since it always ends at once.
  var isHopeless: Bool { shortLives >= policy.notifyShortLives }

  /// At the end of this turn: who asks does not wait for it.
  mutating func want() { life.want(at: 0) }

  mutating func start() throws(SystemError) { try life.start() }

  mutating func dismiss() {
    life.dismiss()
    shortLives = 0
  }

  mutating func ended(isNeeded: Bool) {
    guard let lived = life.ended() else { return }
    shortLives = lived < policy.shortLife.nanoseconds ? shortLives + 1 : 0
    guard isNeeded, !isHopeless else { return }
    life.want(at: Clock.boottime() + backoff.next(after: lived))
  }

  mutating func childrenChanged() { life.childrenChanged() }

  func watch() { life.watch() }
}
