import LullEngine
import LullSystem

/// The share of the processor and of the disks that programs in the background get: by the weight of their
/// cgroup where its controllers are enabled, else by the nice value of each thread.
final class Weights {
  private enum Lowered {
    case cgroup(Cgroup, [(weight: Cgroup.Weight, before: Int)])
    case threads([Int32: (before: Int32, set: Int32)])
    /// The daemon before this one has lowered it.
    case earlier
  }

  /// The rise of nice values: such a thread gets a third of what one beside it gets.
  private static let step: Int32 = 5
  /// The weight of a cgroup is divided by this, for the same third of a share.
  private static let divisor = 3

  private let log: any FailureLog
  /// Nice values are left alone where they could not be taken back.
  let mayTakeBack: Bool
  private var lowered = AppTable<Lowered>()

  init(_ log: any FailureLog) {
    self.log = log
    mayTakeBack = Identity.hasCapability(.systemNice)
  }

  /// `isLow`: an earlier daemon has made the share smaller.
  func lower(_ id: AppID, _ suspender: Suspender, isLow: Bool) {
    guard lowered[id] == nil else { return }
    if isLow {
      lowered[id] = .earlier
    } else if case .cgroup(let cgroup) = suspender, let before = Self.lower(cgroup) {
      lowered[id] = .cgroup(cgroup, before)
    } else if mayTakeBack {
      lowered[id] = .threads(lower(threads(of: suspender)))
    }
  }

  func restore(_ id: AppID, _ suspender: Suspender) {
    guard let before = lowered[id] else { return }
    lowered[id] = nil
    switch before {
    case .cgroup(let cgroup, let weights):
      for (weight, before) in weights { log.ignoring(.gone, try cgroup.setWeight(weight, to: before)) }
    case .threads(let values): restore(threads(of: suspender), values)
    case .earlier: restoreEarlier(suspender)
    }
  }

  // MARK: Cgroups

  private static func lower(_ cgroup: Cgroup) -> [(weight: Cgroup.Weight, before: Int)]? {
    // Without a share of the processor the threads are told one by one, which counts for the disks too.
    guard cgroup.weight(.processor) != nil else { return nil }
    return Cgroup.Weight.allCases.compactMap { weight in
      guard let before = cgroup.weight(weight),
        (try? cgroup.setWeight(weight, to: max(1, before / divisor))) != nil
      else { return nil }
      return (weight, before)
    }
  }

  // MARK: Threads

  private func threads(of suspender: Suspender) -> [Int32] {
    var threads: [Int32] = []
    for process in log.ignoring(.gone, try suspender.processes()) ?? [] {
      threads += log.ignoring(.gone, try NiceValue.threads(of: process)) ?? []
    }
    return threads
  }

  private func lower(_ threads: [Int32]) -> [Int32: (before: Int32, set: Int32)] {
    var values: [Int32: (before: Int32, set: Int32)] = [:]
    for thread in threads {
      guard let before = try? NiceValue.of(thread) else { continue }
      let next = min(before + Self.step, NiceValue.highest)
      if next != before, (try? NiceValue.set(next, of: thread)) != nil { values[thread] = (before, next) }
    }
    return values
  }

  /// Takes back only the rise: what nice(1) has added since stays. A thread that was started since began with
  /// the value of the one that started it. A value below the risen one was set since, and stays.
  private func restore(_ threads: [Int32], _ values: [Int32: (before: Int32, set: Int32)]) {
    for thread in threads {
      guard let now = try? NiceValue.of(thread),
        let given = values[thread] ?? values.values.filter({ $0.set <= now }).max(by: { $0.set < $1.set }),
        given.set <= now
      else { continue }
      log.ignoring(.gone, try NiceValue.set(now - (given.set - given.before), of: thread))
    }
  }

  private func restoreEarlier(_ suspender: Suspender) {
    if case .cgroup(let cgroup) = suspender, cgroup.weight(.processor) != nil {
      for weight in Cgroup.Weight.allCases {
        guard let now = cgroup.weight(weight), now < 100 else { continue }
        log.ignoring(.gone, try cgroup.setWeight(weight, to: now * Self.divisor + 1))
      }
    } else if mayTakeBack {
      for thread in threads(of: suspender) {
        guard let now = try? NiceValue.of(thread), now > 0 else { continue }
        log.ignoring(.gone, try NiceValue.set(max(0, now - Self.step), of: thread))
      }
    }
  }
}
