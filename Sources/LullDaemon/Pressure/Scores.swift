import LullChannel
import LullEngine
import LullSystem
import LullWire

/// The `oom_score_adj` of sleepers: raised while they sleep, so that the kernel, if it must kill, chooses as
/// Lull would. A program that sleeps less than `PressurePolicy.scoreDelay` pays nothing for it.
final class Scores {
  private let policy: PressurePolicy
  private let clock: EngineClock
  private let journal: Journal
  /// On CLOCK_BOOTTIME; the last one is the latest.
  private var waiting: [(id: AppID, due: Int64)] = []
  private var raised = AppTable<ScoreRise>()
  /// Programs that run again, and whose values are to be put back.
  private var woken: [AppID] = []
  /// The reason why a first program's values could not be raised.
  private(set) var failure: SystemError?

  init(_ policy: PressurePolicy, clock: EngineClock, journal: Journal) {
    (self.policy, self.clock, self.journal) = (policy, clock, journal)
  }

  // MARK: Sleep and wake

  func slept(_ id: AppID, at now: Moment) {
    waiting.append((id, clock.boottime(at: now + policy.scoreDelay)))
  }

  /// Costs no system call: the values are put back at the end of the turn.
  func woke(_ id: AppID) {
    // Whoever wakes often is among the last.
    if let place = waiting.lastIndex(where: { $0.id == id }) { waiting.remove(at: place) }
    if raised[id] != nil, !woken.contains(id) { woken.append(id) }
  }

  func forget(_ id: AppID) {
    woke(id)
    woken.removeAll { $0 == id }
    raised[id] = nil
  }

  var deadline: Int64? { waiting.first?.due }

  func nextDue(at now: Int64) -> AppID? {
    guard let first = waiting.first, first.due <= now else { return nil }
    waiting.removeFirst()
    return first.id
  }

  func nextWoken() -> AppID? { woken.popLast() }

  var hasWoken: Bool { !woken.isEmpty }

  // MARK: Values

  /// `note` keeps each old value before it is changed: when this daemon is dead, whoever lets the program
  /// go puts it back.
  func raise(
    _ id: AppID, _ pids: [Int32], isPurgeable: Bool,
    note: (ScoreRecord) throws(SystemError) -> Void
  ) {
    let rise = isPurgeable ? policy.scoreOfPurgeable : policy.scoreOfSleeper
    var values: [Int] = []
    for pid in pids {
      if let value = journal.ignoring(.gone, try OOMScore.value(of: pid)) { values.append(value) }
    }
    let plan = ScoreRise(of: values, by: rise)
    guard !plan.steps.isEmpty else { return }
    raised[id] = plan
    do {
      for pid in pids { try raise(pid, plan, note) }
    } catch {
      // Some of the values may have been raised.
      woken.append(id)
      noteFailure(error)
    }
  }

  /// Says once that there is no right to it; another program may be the user's own.
  private func noteFailure(_ error: SystemError) {
    guard failure == nil else { return }
    failure = error
    journal.note(program: nil, what: "oom-score", .init(.scoresNotRaised, error: "\(error)"))
  }

  private func raise(
    _ pid: Int32, _ plan: ScoreRise, _ note: (ScoreRecord) throws(SystemError) -> Void
  ) throws(SystemError) {
    do {
      let old = try OOMScore.value(of: pid)
      guard let new = plan.raised(old) else { return }
      try note(ScoreRecord(process: try ProcessIdentity.current(pid), old: old, raised: new))
      _ = try OOMScore.change(of: pid) { $0 == old ? new : nil }
    } catch {
      guard Expected.gone.covers(error) else { throw error }
    }
  }

  /// A process that was forked since the thaw has a raised value too.
  func putBack(_ id: AppID, listing: () -> [Int32]) {
    guard let plan = raised[id] else { return }
    raised[id] = nil
    forEachProcess(listing: listing) { putBack($0, plan) }
  }

  private func putBack(_ pid: Int32, _ plan: ScoreRise) {
    do {
      _ = try OOMScore.change(of: pid, plan.previous)
    } catch {
      // A process that was not raised for want of rights has been told of.
      if !error.isNotPermitted { journal.noteUnexpected(error, except: .gone) }
    }
  }
}
