/// The fetches of a program and their window (Background Execution, "Fetching Small Amounts of Content
/// Opportunistically"; `setMinimumBackgroundFetchInterval:`).
///
/// Two fetches are never less than the interval apart. "Apps that download small amounts of content quickly
/// and accurately reflect when they had content available to download" are asked as often as that. After a
/// fetch that found nothing, failed or took long, the gap to the next one doubles, up to a limit.
public struct FetchWindow: Equatable, Sendable {
  /// The shortest time between two fetches.
  public let interval: Interval
  /// The gap as a multiple of the interval.
  public private(set) var stretch: Int64
  /// The last fetch; before the first one the moment at which it was asked for.
  public private(set) var since: Moment

  /// A window whose interval counts from `since`.
  public init(interval: Interval, since: Moment, stretch: Int64 = 1) {
    (self.interval, self.since, self.stretch) = (interval, since, stretch)
  }

  /// A moment to come would keep the program from fetching at all.
  func bounded(at now: Moment, _ policy: Policy) -> FetchWindow {
    let interval = interval.clamped(to: policy.fetchMinimum...policy.longest)
    return FetchWindow(
      interval: interval, since: min(since, now), stretch: max(1, min(stretch, policy.fetchStretch)))
  }

  private func gap(_ surroundings: Surroundings, _ policy: Policy) -> Interval {
    let onBattery = surroundings.power.source == .battery
    return interval.scaled(by: stretch).scaled(by: onBattery ? policy.fetchOnBattery : 1)
  }

  /// The first moment at which it runs with others. Without a route there is nothing to fetch from.
  func opens(_ surroundings: Surroundings, _ policy: Policy) -> Moment {
    surroundings.isOnline ? since + gap(surroundings, policy) : .never
  }

  /// The moment at which it runs without others: keep-alives come at least once in the window.
  func due(_ surroundings: Surroundings, _ policy: Policy) -> Moment {
    let gap = gap(surroundings, policy)
    return opens(surroundings, policy) + max(policy.keepAliveMinimum, gap.scaled(by: 1, over: 4))
  }

  mutating func ran(at now: Moment) { since = now }

  /// A fetch is over after this time; without a result it is that of a command, which tells none, or has
  /// taken too long.
  mutating func ended(_ result: BackgroundFetchResult?, after time: Interval, _ policy: Policy) {
    switch (result, isQuick: time <= policy.fetchQuick) {
    case (.newData?, isQuick: true): stretch = 1
    case (.newData?, isQuick: false), (nil, isQuick: true): break
    case (.noData?, _), (.failed?, _), (nil, isQuick: false): stretch = min(stretch * 2, policy.fetchStretch)
    }
  }
}
