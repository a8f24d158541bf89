import LullEngine
import LullSystem

/// The processor time that programs have used, in all and between their last two sleeps.
final class ProcessorTimes {
  private struct Record {
    /// At the look before the last freeze, in nanoseconds.
    var atLook: Int64
    /// At the last sleep; nil before the first one.
    var atSleep: Int64?
    var betweenSleeps: Int64?
  }

  private var records = AppTable<Record>()

  /// In nanoseconds; nil when the kernel does not tell. The program is about to be frozen.
  func looked(_ id: AppID, _ suspender: Suspender) -> Int64? {
    guard let now = Self.used(suspender) else { return nil }
    records.update(id, else: Record(atLook: now)) { $0.atLook = now }
    return now
  }

  func slept(_ id: AppID) {
    records.update(id) {
      let before = $0.atSleep
      $0.atSleep = $0.atLook
      $0.betweenSleeps = before.map { [now = $0.atLook] in max(0, now - $0) }
    }
  }

  /// Nil when the kernel does not tell.
  func seconds(_ id: AppID, _ suspender: Suspender) -> (total: Double?, betweenSleeps: Double?) {
    (Self.used(suspender).map(Self.seconds), records[id]?.betweenSleeps.map(Self.seconds))
  }

  func forget(_ id: AppID) { records[id] = nil }

  /// A cgroup counts what ended processes have used too.
  private static func used(_ suspender: Suspender) -> Int64? {
    switch suspender {
    case .cgroup(let cgroup): return try? cgroup.processorTime()
    case .signal:
      guard let processes = try? suspender.processes() else { return nil }
      return processes.reduce(0) { sum, pid in sum + ((try? ProcessUsage.processorTime(of: pid)) ?? 0) }
    }
  }

  private static func seconds(_ nanoseconds: Int64) -> Double { Double(nanoseconds / 1000) / 1e6 }
}
