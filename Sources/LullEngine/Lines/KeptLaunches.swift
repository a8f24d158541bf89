/// The programs that have ended and whose lines are kept: which of them is to be launched, and when. Each is
/// known by its name, since it has no id while it does not run. Moments are those of one clock of the caller.
public struct KeptLaunches: Equatable, Sendable {
  /// How a program ended.
  public enum Ending: Sendable {
    /// By itself, or with an earlier daemon.
    case alone
    /// Its memory was needed, which says nothing about the program.
    case purge
    /// Somebody is about to start it again.
    case restart
    /// It did not take its lines, which are let go: it is started once without them, at once.
    case letGo
  }

  private enum Standing: Equatable, Sendable {
    /// Nothing has come, or what has come waits until a moment.
    case waiting
    /// It is being launched, and counts as failed at this moment.
    case underWay(until: Moment)
    /// It runs, and has not proved yet that it goes on with its lines.
    case started
  }

  private struct Entry: Equatable, Sendable {
    let name: String
    var standing = Standing.waiting
    /// True when something has come on a line.
    var hasNews = false
    /// It is not launched before this moment.
    var notBefore: Moment
    /// The launches that failed, one after the other.
    var failures = 0
  }

  private let policy: Policy
  /// Oldest first.
  private var entries: [Entry] = []

  /// No program waits.
  public init(_ policy: Policy = Policy()) { self.policy = policy }

  /// A program has ended, and its lines are kept. One that ended by itself before it had proved itself has
  /// failed.
  public mutating func waits(_ name: String, after ending: Ending = .alone, at now: Moment) {
    let moment = ending == .restart ? now + policy.keptRestartTime : now
    guard let index = place(of: name) else {
      return entries.append(Entry(name: name, hasNews: ending == .letGo, notBefore: moment))
    }
    if entries[index].standing != .waiting, ending == .alone { fail(index, at: now) }
    entries[index].standing = .waiting
    // A restart that is over gives nobody more time.
    entries[index].notBefore = ending == .letGo ? moment : max(entries[index].notBefore, moment)
    // What its life has left of the news is told anew.
    entries[index].hasNews = ending == .letGo
  }

  /// Something has come on a line of a program.
  public mutating func came(for name: String) {
    if let index = place(of: name) { entries[index].hasNews = true }
  }

  /// A program could not be launched.
  public mutating func failed(_ name: String, at now: Moment) {
    guard let index = place(of: name), case .underWay = entries[index].standing else { return }
    fail(index, at: now)
  }

  /// A program has got its lines and runs.
  public mutating func started(_ name: String) {
    if let index = place(of: name) { entries[index].standing = .started }
  }

  /// A program goes on with its lines, or none are kept for it any more.
  public mutating func forget(_ name: String) { entries.removeAll { $0.name == name } }

  /// True while nothing but a person starts a program.
  public func areAwaited(_ name: String, at now: Moment) -> Bool {
    guard let index = place(of: name) else { return false }
    return entries[index].standing == .waiting && now < entries[index].notBefore
  }

  /// The moment at which `takeDue` has something to do.
  public var deadline: Moment? { entries.compactMap(due).min() }

  /// The programs that are to be launched now. Each is under way from then on.
  public mutating func takeDue(at now: Moment) -> [String] {
    var names: [String] = []
    for index in entries.indices {
      guard let moment = due(entries[index]), moment <= now else { continue }
      if case .underWay = entries[index].standing {
        fail(index, at: now)
      } else {
        entries[index].standing = .underWay(until: now + policy.keptLaunchTime)
        names.append(entries[index].name)
      }
    }
    return names
  }

  private func place(of name: String) -> Int? { entries.firstIndex { $0.name == name } }

  private func due(_ entry: Entry) -> Moment? {
    switch entry.standing {
    case .waiting: entry.hasNews ? entry.notBefore : nil
    case .underWay(let limit): limit
    case .started: nil
    }
  }

  private mutating func fail(_ index: Int, at now: Moment) {
    let (first, last) = (policy.keptLaunchFirst, policy.keptLaunchLast)
    var wait = first
    for _ in 0..<min(entries[index].failures, 32) { wait = min(wait + wait, last) }
    entries[index].failures += 1
    entries[index].standing = .waiting
    entries[index].notBefore = now + wait
  }
}
