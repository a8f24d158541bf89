package import LullEngine
import LullSystem

/// The engine's clock: CLOCK_BOOTTIME, or `rate` times as fast since `base` for trying 600 s by hand.
///
/// It is a function of the kernel's clock alone, so a restarted daemon goes on where the last one stood.
package struct EngineClock: LedgerClock, Sendable {
  /// The speed of the clock, as a multiple of the kernel's; 1 is real time.
  package let rate: Int64
  /// CLOCK_BOOTTIME in nanoseconds where both clocks showed the same.
  package let base: Int64

  package init(rate: Int64, base: Int64) {
    self.rate = rate
    self.base = base
  }

  package var boottimeNow: Int64 { Clock.boottime() }
  package var wallNow: Int64 { Clock.realtime() }

  package func now() -> Moment { moment(atBoottime: Clock.boottime()) }

  package func moment(atBoottime nanoseconds: Int64) -> Moment {
    Moment(nanoseconds: base) + Interval(nanoseconds: nanoseconds &- base).scaled(by: rate)
  }

  /// `nanoseconds` of the kernel's clock.
  func interval(_ nanoseconds: Int64) -> Interval { Interval(nanoseconds: nanoseconds).scaled(by: rate) }

  /// The value of CLOCK_BOOTTIME at `moment`, rounded up so that a timer never fires before it.
  package func boottime(at moment: Moment) -> Int64 {
    let elapsed = (moment - Moment(nanoseconds: base)).nanoseconds
    guard elapsed > 0, rate > 1 else { return moment.nanoseconds }
    return base &+ (elapsed / rate) &+ (elapsed % rate == 0 ? 0 : 1)
  }
}
