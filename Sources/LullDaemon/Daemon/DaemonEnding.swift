import LullEngine
import LullSystem
import LullWire

/// The end of lulld that a client has asked for. Moments are nanoseconds of CLOCK_BOOTTIME.
final class DaemonEnding {
  /// The programs that are asked to end in one turn: each may have many processes.
  static let step = 16

  private enum State {
    case serving
    /// The end waits until this moment for programs that are being started: their starters have not got all
    /// that this process holds for them.
    case yielding(until: Int64)
    case asking(from: Int)
    /// All programs are ending, until this moment at the latest.
    case waiting(until: Int64)
    case due
  }

  private let policy: SupervisionPolicy
  private var state = State.serving

  init(_ policy: SupervisionPolicy = SupervisionPolicy()) { self.policy = policy }

  var isDue: Bool { if case .due = state { true } else { false } }

  func begin(withPrograms endsPrograms: Bool) {
    switch state {
    case .serving where !endsPrograms:
      state = .yielding(until: Clock.boottime() + policy.startingTime.nanoseconds)
    case .serving: state = .asking(from: 0)
    case .yielding: if endsPrograms { state = .asking(from: 0) }
    case .asking, .waiting: if !endsPrograms { state = .due }
    case .due: break
    }
  }

  /// A new program that comes now would be left without a daemon.
  func refusal(of request: Request) -> Reply? {
    switch state {
    case .serving, .yielding: return nil
    case .asking, .waiting, .due: break
    }
    switch request {
    case .run, .started, .adopt, .register:
      return .error(.refused, .init(.daemonEnding))
    default: return nil
    }
  }

  // MARK: The programs

  var nextSlot: Int? { if case .asking(let slot) = state { slot } else { nil } }

  func asked(slot: Int) { state = .asking(from: slot + 1) }

  /// A program has come that ran before this process; it has the same time to end.
  func came(slot: Int) {
    switch state {
    case .asking(let from): state = .asking(from: min(from, slot))
    case .waiting: state = .asking(from: slot)
    case .serving, .yielding, .due: break
    }
  }

  func allAsked(killedAt moment: Int64) {
    state = .waiting(until: moment + policy.killingTime.nanoseconds)
  }

  var deadline: Int64? {
    switch state {
    case .waiting(let moment), .yielding(let moment): moment
    case .serving, .asking, .due: nil
    }
  }

  func advance(hasPrograms: @autoclosure () -> Bool, isStarting: @autoclosure () -> Bool) {
    switch state {
    case .waiting(let moment): if Clock.boottime() >= moment || !hasPrograms() { state = .due }
    case .yielding(let moment): if Clock.boottime() >= moment || !isStarting() { state = .due }
    case .serving, .asking, .due: break
    }
  }
}
