import LullSystem

/// Each timer of lull-guard has a moment of CLOCK_BOOTTIME and expires once.
final class Timers {
  enum Kind: CaseIterable {
    case start
    /// Continue a lulld that was stopped.
    case proceed
    case kill
    case check
    /// Leave everything to the other guard of lulld.
    case yield
    /// Send again what could not be sent to lulld.
    case flush
  }

  private var due: [(kind: Kind, at: Int64)] = []

  func schedule(_ kind: Kind, after wait: Int64) {
    due.removeAll { $0.kind == kind }
    due.append((kind, Clock.boottime() + wait))
  }

  func isScheduled(_ kind: Kind) -> Bool { due.contains { $0.kind == kind } }

  func clear() { due = [] }

  var next: Int64? { due.map(\.at).min() }

  /// The next timer whose time has come, in the order of the cases.
  func takeDue() -> Kind? {
    let now = Clock.boottime()
    let ready = due.filter { $0.at <= now }.map(\.kind)
    guard let kind = Kind.allCases.first(where: ready.contains) else { return nil }
    due.removeAll { $0.kind == kind }
    return kind
  }
}
