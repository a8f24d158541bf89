import LullEngine
import LullSystem
import LullWire

/// Bounds the processor time of programs in the background that never rest: by the kernel where their cgroup
/// has the controller, else by the freezer, for a part of each moment. A bounded program is awake for the
/// engine, which takes the bound away before it puts the program to sleep.
final class ProcessorBounds {
  private enum State {
    /// The kernel holds it within its bound.
    case kernel
    /// It runs since this moment of CLOCK_BOOTTIME, with so much processor time used until then.
    case runs(since: Int64, used: Int64)
    /// At this moment it has rested enough for what it had used until it was held.
    case held(until: Int64, used: Int64)
  }

  private struct Bound {
    let id: AppID
    let cgroup: Cgroup
    let percent: Int64
    var state: State
    /// The moment of the next look, on CLOCK_BOOTTIME.
    var due: Int64
  }

  private let policy: ProcessPolicy
  private let log: any FailureLog
  private var bounds: [Bound] = []

  init(_ policy: ProcessPolicy, _ log: any FailureLog) { (self.policy, self.log) = (policy, log) }

  func begin(_ id: AppID, _ cgroup: Cgroup, percent: Int32) {
    guard !bounds.contains(where: { $0.id == id }) else { return }
    var bound = Bound(id: id, cgroup: cgroup, percent: Int64(percent), state: .kernel, due: .max)
    if !cgroup.limitProcessor(toPercent: percent) { run(&bound, at: Clock.boottime()) }
    bounds.append(bound)
  }

  /// `cgroup`: also where a daemon before this one has set the bound.
  func end(_ id: AppID, _ cgroup: Cgroup? = nil) {
    let place = bounds.firstIndex { $0.id == id }
    let bound = place.map { bounds.remove(at: $0) }
    if case .held? = bound?.state { log.ignoring(.gone, try bound?.cgroup.thaw()) }
    if case .kernel? = bound?.state { _ = bound?.cgroup.limitProcessor(toPercent: nil) }
    if bound == nil { _ = cgroup?.limitProcessor(toPercent: nil) }
  }

  /// Nil for a program that is not bounded now.
  func way(_ id: AppID) -> Vocabulary.Bounding? {
    guard let bound = bounds.first(where: { $0.id == id }) else { return nil }
    if case .kernel = bound.state { return .kernel }
    return .freezer
  }

  var deadline: Int64? { bounds.lazy.map(\.due).filter { $0 != .max }.min() }

  func look() {
    let now = Clock.boottime()
    for index in bounds.indices where bounds[index].due <= now { look(&bounds[index], at: now) }
  }

  private func look(_ bound: inout Bound, at now: Int64) {
    guard case .runs(let since, let before) = bound.state,
      let used = try? bound.cgroup.processorTime()
    else { return run(&bound, at: now) }
    let rest = (used - before) * 100 / bound.percent - (now - since)
    guard rest > 0, log.ignoring(.gone, try bound.cgroup.freeze()) != nil else {
      run(&bound, at: now)
      return bound.due = now + policy.boundLook.nanoseconds
    }
    bound.state = .held(until: now + rest, used: used)
    bound.due = now + min(rest, policy.boundHold.nanoseconds)
  }

  private func run(_ bound: inout Bound, at now: Int64) {
    bound.due = now + policy.boundSlice.nanoseconds
    guard case .held(let until, let used) = bound.state else {
      return bound.state = .runs(since: now, used: (try? bound.cgroup.processorTime()) ?? 0)
    }
    log.ignoring(.gone, try bound.cgroup.thaw())
    // What it uses between a look and its freeze, and from its thaw to the next look, counts as well.
    bound.state = .runs(since: until, used: used)
  }
}
