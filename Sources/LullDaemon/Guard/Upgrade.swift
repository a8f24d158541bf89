import LullChannel
import LullEngine
import LullSystem
import LullWire

/// The upgrade of the daemon to other programs. lull-guard gives way to the new one, then this lulld ends,
/// and the new guard starts the lulld beside itself.
final class Upgrade {
  private enum State {
    case none
    case changing(client: Slot)
    /// The new guard watches. This process ends as soon as no command is being started, and by then at the
    /// latest.
    case ready(until: Int64)
  }

  private let policy: SupervisionPolicy
  private var state = State.none

  init(_ policy: SupervisionPolicy) { self.policy = policy }

  var isUnderWay: Bool { if case .none = state { false } else { true } }

  /// A command that is being started has its client's answer first.
  func isDue(isStartingCommand: Bool) -> Bool {
    guard case .ready(let until) = state else { return false }
    return !isStartingCommand || until <= Clock.boottime()
  }

  var deadline: Int64? { if case .ready(let until) = state { until } else { nil } }

  func begin(for client: Slot) { state = .changing(client: client) }

  /// Returns the client, which is to be answered.
  func guardReplaced() -> Slot? {
    guard case .changing(let client) = state else { return nil }
    state = .ready(until: Clock.boottime() + policy.upgradePatience.nanoseconds)
    return client
  }

  func guardStays() -> Slot? {
    guard case .changing(let client) = state else { return nil }
    state = .none
    return client
  }
}
