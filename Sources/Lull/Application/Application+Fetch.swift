internal import LullEngine
internal import LullWire

extension Application {
  /// The shortest interval of ``setMinimumBackgroundFetchInterval(_:)``, in seconds
  /// (`UIApplicationBackgroundFetchIntervalMinimum`).
  public static let backgroundFetchIntervalMinimum = Bounds.fetches.lowerBound.seconds

  /// Has the application look for new content in the background, at least `seconds` after it did so last
  /// (`setMinimumBackgroundFetchInterval:`): ``ApplicationDelegate/application(_:performFetch:)`` is called.
  /// Nil ends that.
  ///
  /// The moment is chosen so that no machine is woken for it: with the keep-alives of others, and never
  /// without a route to the network. On battery the interval is doubled.
  ///
  /// - Returns: false when the interval is below 900 s or the application did not declare `fetch`; an earlier
  ///   interval then stays.
  @discardableResult
  public func setMinimumBackgroundFetchInterval(_ seconds: Double?) -> Bool {
    defer { settle() }
    let isPossible = seconds.map { $0 >= Application.backgroundFetchIntervalMinimum } ?? true
    guard isPossible, modes.contains(.fetch), phase != .ended else { return false }
    let interval = seconds.map { Interval(clampingSeconds: $0) }
    do { _ = try askIfUp(.fetch(interval)) } catch { return false }
    fetches = interval.map { ($0, fetches?.since ?? clock()) }
    return true
  }

  func runFetch(_ ticket: Ticket) {
    fetches?.since = clock()
    let completion = FetchCompletion(ticket: ticket, mailbox: mailbox)
    guard let delegate else { return completion(.noData) }
    delegate.application(self, performFetch: completion)
  }
}

/// The handler to which a program tells the result of a fetch or a push, once and from any thread. The second
/// call does nothing.
public struct FetchCompletion: Sendable {
  let ticket: Ticket
  let mailbox: Mailbox

  /// Ends the fetch or the push with this result. The program may sleep after the next turn of its loop.
  public func callAsFunction(_ result: BackgroundFetchResult) {
    mailbox.post { [ticket] in $0.link.tell(.fetched(ticket: ticket, result)) }
  }
}

extension ApplicationDelegate {
  /// Finds nothing.
  public func application(_ application: Application, performFetch completion: FetchCompletion) {
    completion(.noData)
  }
  /// Does nothing with it.
  public func application(
    _ application: Application, didReceive push: RemoteNotification, completion: FetchCompletion
  ) {
    completion(.noData)
  }
}
