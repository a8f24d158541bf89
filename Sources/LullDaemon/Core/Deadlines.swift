import LullChannel
import LullSystem

/// The reactor's timers, armed to the earliest deadline of all owners and to the engine's alarm, and the
/// watch over the wall clock.
final class Deadlines {
  private let reactor: DaemonReactor
  private let wallTimer: Timer
  private let journal: Journal

  init(_ services: SharedServices) throws(SystemError) {
    (reactor, journal) = (services.reactor, services.journal)
    wallTimer = try Timer(.realtime)
    _ = try reactor.add(wallTimer.raw, .readable, as: .wallClock)
  }

  var wakesMachine: Bool { reactor.wakesMachine }

  /// On CLOCK_BOOTTIME.
  var armed: Int64? { reactor.armed }

  func takeDue() -> Bool { journal.ignoring([], try reactor.takeExpiration()) ?? false }

  /// Arms the timers to a moment that waits until the machine is awake, and to `alarm`, which resumes it. An
  /// alarm that stands before it stays while the machine is held up: there it is harmless, and to put it off
  /// would be one more system call of a wake.
  func arm(at moment: Int64?, alarm: Int64?, isHeld: Bool) {
    let alarm = earlier(alarm, isHeld ? reactor.armedAlarm : nil)
    journal.ignoring([], try reactor.arm(at: moment, alarm: alarm))
  }

  /// The watch fires when the clock is set (TFD_TIMER_CANCEL_ON_SET).
  func watchWallClock() {
    journal.ignoring([], try wallTimer.expirations())
    journal.ignoring([], try wallTimer.arm(at: .max / 2, cancelOnSet: true))
  }
}
