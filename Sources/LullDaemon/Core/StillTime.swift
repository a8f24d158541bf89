import LullEngine

/// Notices at the start of a turn that for a while no program could run, or that the daemon read no program's
/// requests.
///
/// CLOCK_BOOTTIME goes on while the machine is suspended, CLOCK_MONOTONIC does not. A turn that begins long
/// after the timer was due shows that this process was stopped, perhaps since its last turn.
struct StillTime: Sendable {
  private let lateness: Int64
  private let lead: Int64
  /// CLOCK_BOOTTIME minus CLOCK_MONOTONIC. A pause between the two reads makes it smaller, never greater.
  private var ahead: Int64
  private var lastTurn: Int64
  /// The time for which the machine was suspended before the last turn, in nanoseconds.
  private(set) var suspended: Int64 = 0

  init(boottime: Int64, monotonic: Int64, policy: SupervisionPolicy = SupervisionPolicy()) {
    (lateness, lead) = (policy.turnLateness.nanoseconds, policy.stopLead.nanoseconds)
    ahead = boottime - monotonic
    lastTurn = boottime
  }

  /// The time by which the limits of run time move, in nanoseconds; `due` is the moment to which the timer
  /// was armed.
  mutating func turnBegins(boottime: Int64, monotonic: Int64, due: Int64?) -> Int64 {
    suspended = max(0, boottime - monotonic - ahead)
    ahead += suspended
    let awake = max(0, boottime - lastTurn - suspended)
    lastTurn = boottime
    let late = due.map { boottime - $0 - suspended } ?? 0
    return suspended + (late > lateness ? min(awake, late + lead) : 0)
  }
}
