/// The numbers of short memory.
public struct PressurePolicy: Equatable, Sendable {
  /// The window of the kernel's triggers. Without CAP_SYS_RESOURCE it must be a multiple of 2 s.
  public var window = Interval.seconds(2)
  /// Some process waited for memory this long in one window: `warning`.
  public var warningStall = Interval.milliseconds(150)
  /// Every process that had something to do waited for memory this long in one window: `critical`.
  public var criticalStall = Interval.milliseconds(200)
  /// From a warning or a purge until a report of pressure is about the time after it. It is longer than the
  /// window.
  public var settling = Interval.seconds(3)
  /// The machine is short of memory while less than this part of it is available, in percent. A report of the
  /// machine at any other time is about somebody who has run into a limit of its own.
  public var shortPercent = 20
  /// The rest of the machine's trigger after a report that does not count.
  public var machineRest = Interval.seconds(30)
  /// The time without a report after which the pressure is over.
  public var relief = Interval.seconds(10)
  /// The time in which the sizes of programs are measured; a program without a size counts as empty.
  public var measuring = Interval.seconds(1)
  /// The first rest of a trigger when nothing is left that may be purged; it doubles from then on.
  public var restFirst = Interval.seconds(30)
  /// The longest of these rests.
  public var restLast = Interval.seconds(600)
  /// The sleep after which a program's `oom_score_adj` is raised: whoever sleeps less pays nothing for it.
  public var scoreDelay = Interval.seconds(10)
  /// The rise for a sleeper that can come back, and for any other.
  public var scoreOfPurgeable = 800, scoreOfSleeper = 600

  /// The defaults.
  public init() {}

  /// True when a machine with so much memory, in bytes, is short of it.
  public func isShort(available: UInt64, of total: UInt64) -> Bool {
    available < total / 100 * UInt64(min(max(shortPercent, 0), 100))
  }
}
