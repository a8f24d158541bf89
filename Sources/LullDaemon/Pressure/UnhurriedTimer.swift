import LullChannel
import LullSystem

/// A timer for what can wait while the machine sleeps: unlike the reactor's it does not end that sleep. It is
/// left armed when nobody waits any more, so a program that sleeps and wakes often costs no call.
final class UnhurriedTimer {
  private let reactor: DaemonReactor
  private let journal: Journal
  private var timer: Timer?
  /// The moment to which it is armed, on CLOCK_BOOTTIME.
  private var armed: Int64?

  init(_ services: SharedServices) { (reactor, journal) = (services.reactor, services.journal) }

  /// Has the timer fire by the first of these moments.
  func arm(_ moments: [Int64?]) {
    guard let moment = moments.compactMap(\.self).min(), armed.map({ moment < $0 }) ?? true else { return }
    journal.ignoring([], try set(moment))
  }

  private func set(_ moment: Int64) throws(SystemError) {
    if timer == nil {
      let new = try Timer(.boottime)
      _ = try reactor.add(new.raw, .readable, as: .unhurried)
      timer = consume new
    }
    try timer?.arm(at: moment)
    armed = moment
  }

  /// The timer has fired.
  func fired() {
    armed = nil
    journal.ignoring([], try timer?.expirations())
  }
}
