import LullChannel
import LullEngine
import LullSystem

/// The watch over the addresses and routes of a network namespace, and the destinations that its programs
/// have lost.
///
/// The first news opens a window, in which the news are not watched: whatever the network does, the daemon
/// looks twice a second. The window closes after half a second without news, unless something cannot be
/// reached any more, and after two seconds in any case. The next one does not close in two seconds.
final class NetworkWatch {
  private struct Window {
    let opened: Int64
    var due: Int64
    var hasResumed = false
    var passing: Set<HostAddress> = []
  }

  private final class Source {
    let news: NetworkNews
    let registration: Slot

    init(_ reactor: DaemonReactor, in space: NetworkNamespace?) throws(SystemError) {
      news = try NetworkNews(in: space)
      registration = try reactor.add(news.raw, [.readable, .oneShot], as: .network(space?.number ?? 0))
    }
  }

  /// A window closes after a time without news, at the latest after the longest one, in nanoseconds.
  private let quiet: Int64, longestWindow: Int64
  /// Nil: the daemon's own namespace.
  private let space: NetworkNamespace?
  private let source: Source?
  private let reactor: DaemonReactor
  private let journal: Journal
  /// At the end of the last window; nil when it could not be read.
  private var state: NetworkState? { didSet { isOnline = state?.hasWayOut ?? true } }
  /// True where nobody can tell.
  private(set) var isOnline = true
  private var window: Window?
  private var earliest: Int64 = .min
  private var lost = AppTable<[HostAddress]>()
  /// True when the end of the last announced sleep has been noticed.
  private var hasResumed = false

  /// Where there is no netlink, the journal says so once.
  init(_ services: SharedServices, in space: NetworkNamespace? = nil) {
    (reactor, journal, self.space) = (services.reactor, services.journal, space)
    let policy = services.policy.supervision
    (quiet, longestWindow) = (policy.networkQuiet.nanoseconds, policy.networkWindow.nanoseconds)
    // The news are subscribed to before the state is read, so that no change between the two is missed.
    source = journal.ignoring([], try Source(services.reactor, in: space))
    state = journal.ignoring([], try NetworkState.read(in: space))
    isOnline = state?.hasWayOut ?? true
  }

  /// That of its namespace; 0: the daemon's own.
  var number: UInt64 { space?.number ?? 0 }

  var deadline: Int64? { window?.due }

  func newsCame(at now: Int64) {
    guard window == nil else { return }
    let news = takeNews()
    guard news.hasChanged else { return watch() }
    open(at: now)
    window?.passing = news.addresses
  }

  func sleepBegins() { hasResumed = false }

  /// The machine was asleep until now, as its clocks tell, or as it says itself (`isTold`): of one sleep the
  /// first of the two counts.
  func resumed(at now: Int64, isTold: Bool = false) {
    guard !isTold || !hasResumed else { return }
    hasResumed = true
    if window == nil { open(at: now) }
    window?.hasResumed = true
  }

  func timePassed(_ now: Int64) -> NetworkChange? {
    guard var window, window.due <= now else { return nil }
    // In this order no change is missed: what comes after the news are taken makes new ones.
    let news = takeNews()
    window.passing.formUnion(news.addresses)
    let after = journal.ignoring([], try NetworkState.read(in: space)) ?? state ?? NetworkState()
    let change = NetworkChange(
      before: state ?? after, after: after, passing: window.passing, hasResumed: window.hasResumed)
    let latest = max(window.opened + longestWindow, earliest)
    if now < latest, news.hasChanged || change.isLoss {
      window.due = min(now + quiet, latest)
      self.window = window
      return nil
    }
    (self.window, state) = (nil, after)
    watch()
    guard change.isAny else { return nil }
    earliest = now + longestWindow
    return change
  }

  func lost(by id: AppID) -> [HostAddress] { lost[id] ?? [] }

  /// No destinations mean that the program has lines again.
  func note(_ destinations: [HostAddress], lostBy id: AppID) {
    lost[id] = destinations.isEmpty ? nil : destinations
  }

  func forget(_ id: AppID) { lost[id] = nil }

  func end() { if let source { reactor.remove(source.registration) } }

  private func open(at now: Int64) { window = Window(opened: now, due: max(now + quiet, earliest)) }

  private func watch() {
    guard let source else { return }
    journal.ignoring([], try reactor.modify(source.registration, [.readable, .oneShot]))
  }

  private func takeNews() -> NetworkNews.Content {
    guard let source else { return NetworkNews.Content() }
    return journal.ignoring([], try source.news.take()) ?? NetworkNews.Content()
  }
}

extension NetworkState {
  fileprivate var hasWayOut: Bool { !ways(to: .anywhereV4).isEmpty || !ways(to: .anywhereV6).isEmpty }
}
