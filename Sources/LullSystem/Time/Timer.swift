internal import CLinux
internal import Glibc

/// A timer as a descriptor: readable when it has expired.
package struct Timer: ~Copyable {
  package enum Clock: Sendable {
    /// Time since boot. The timer wakes a suspended machine, which needs CAP_WAKE_ALARM.
    case boottimeAlarm
    /// Time since boot, suspended time included. The timer does not wake the machine.
    case boottime
    /// The date, which can be set.
    case realtime
  }

  /// The expirations since the last read.
  package enum Expirations: Equatable, Sendable {
    case fired(UInt64)
    case notYet
    /// The date was set, and the timer was armed with `cancelOnSet`.
    case clockWasSet
  }

  private let descriptor: Descriptor

  /// A disarmed timer. EPERM: no right to alarms.
  package init(_ clock: Clock) throws(SystemError) {
    let number =
      switch clock {
      case .boottimeAlarm: CLOCK_BOOTTIME_ALARM
      case .boottime: CLOCK_BOOTTIME
      case .realtime: CLOCK_REALTIME
      }
    let flags = Int32(TFD_CLOEXEC | TFD_NONBLOCK)
    descriptor = try Descriptor(owning: systemCall("timerfd_create") { timerfd_create(number, flags) })
  }

  package var raw: Int32 { descriptor.raw }

  /// Lets the timer expire once, at a moment of its clock in nanoseconds; a moment in the past expires at
  /// once. `cancelOnSet` (date clock only) also makes it readable when the date is set. Returns true when the
  /// date was set since such a timer was armed or read last: the timer is armed all the same, but nothing
  /// else will tell of the change. The corresponding C function is `timerfd_settime(TFD_TIMER_ABSTIME)`.
  @discardableResult
  package func arm(at absoluteNanoseconds: Int64, cancelOnSet: Bool = false) throws(SystemError) -> Bool {
    // Zero would disarm the timer.
    let moment = max(1, absoluteNanoseconds)
    let flags =
      cancelOnSet ? TFD_TIMER_ABSTIME | TFD_TIMER_CANCEL_ON_SET : TFD_TIMER_ABSTIME
    return try set(
      timespec(tv_sec: Int(moment / 1_000_000_000), tv_nsec: Int(moment % 1_000_000_000)), flags: Int32(flags)
    )
  }

  package func disarm() throws(SystemError) {
    _ = try set(timespec(), flags: 0)
  }

  private func set(_ value: timespec, flags: Int32) throws(SystemError) -> Bool {
    var setting = itimerspec(it_interval: timespec(), it_value: value)
    let own = descriptor.raw
    do {
      try systemCall("timerfd_settime") { unsafe timerfd_settime(own, flags, &setting, nil) }
      return false
    } catch {
      guard error.code == ECANCELED else { throw error }
      return true
    }
  }

  package func expirations() throws(SystemError) -> Expirations {
    do {
      return try .fired(readCounter(descriptor.raw))
    } catch {
      if error.isWouldBlock { return .notYet }
      if error.code == ECANCELED { return .clockWasSet }
      throw error
    }
  }
}

func readCounter(_ raw: Int32) throws(SystemError) -> UInt64 {
  var counter: UInt64 = 0
  try systemCall("read") { unsafe read(raw, &counter, 8) }
  return counter
}
