import LullChannel
import LullSystem

/// The reactor's timer, armed to the earliest deadline of all owners, and the watch over the wall clock.
final class Deadlines {
  private let reactor: DaemonReactor
  private let wallTimer: Timer
  private let journal: Journal

  init(_ services: SharedServices) throws(SystemError) {
    (reactor, journal) = (services.reactor, services.journal)
    wallTimer = try Timer(.realtime)
    _ = try reactor.add(wallTimer.raw, .readable, as: .wallClock)
  }

  /// True when the timer wakes a suspended machine.
  var wakesMachine: Bool { reactor.wakesMachine }

  /// The moment to which the timer is armed, on CLOCK_BOOTTIME.
  var armed: Int64? { reactor.armed }

  /// True once after the timer has fired.
  func takeDue() -> Bool { journal.ignoring([], try reactor.takeExpiration()) ?? false }

  /// Arms the timer to the first of these moments.
  func arm(_ moments: [Int64?]) {
    journal.ignoring([], try reactor.arm(at: moments.compactMap(\.self).min()))
  }

  /// Watches the wall clock; the watch fires when the clock is set (TFD_TIMER_CANCEL_ON_SET).
  func watchWallClock() {
    journal.ignoring([], try wallTimer.expirations())
    journal.ignoring([], try wallTimer.arm(at: .max / 2, cancelOnSet: true))
  }
}
