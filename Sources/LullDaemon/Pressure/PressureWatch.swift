import LullChannel
import LullEngine
import LullSystem

/// The kernel's triggers that report pressure on memory: of the whole machine, and of the programs' cgroups,
/// which may have a limit of their own. Nothing is polled. A trigger that is not permitted is left out.
final class PressureWatch {
  private struct Trigger {
    let level: MemoryPressure
    let path: String
    var file: (box: DescriptorBox, registration: Slot)?
  }

  private let reactor: DaemonReactor
  private let closer: Closer
  private let policy: PressurePolicy
  private var triggers: [Trigger] = []
  /// The end of the rest of these levels, on CLOCK_BOOTTIME.
  private var resting: (level: MemoryPressure, until: Int64)?
  private var hasBegun = false
  /// The reason why the first trigger that is missing could not be had.
  private(set) var failure: SystemError?

  init(_ services: SharedServices, _ policy: PressurePolicy) {
    (reactor, closer, self.policy) = (services.reactor, services.closer, policy)
  }

  /// Begins to watch, the first time. `cgroups` is the directory of the programs' cgroups.
  func begin(cgroups: String?) {
    guard !hasBegun else { return }
    hasBegun = true
    // A test brings its own folder in the place of `/`.
    let machine = (Identity.environment("LULL_SYSTEM_ROOT") ?? "") + "/proc/pressure/memory"
    let paths = [machine] + (cgroups.map { ["\($0)/memory.pressure"] } ?? [])
    triggers = paths.flatMap { path in
      MemoryPressure.allCases.map { Trigger(level: $0, path: path) }
    }
    openTriggers { _ in true }
  }

  /// The files on which there are triggers.
  var paths: [String] {
    triggers.reduce(into: []) { if $1.file != nil, !$0.contains($1.path) { $0.append($1.path) } }
  }

  private func openTriggers(where isMeant: (Trigger) -> Bool) {
    for index in triggers.indices where triggers[index].file == nil && isMeant(triggers[index]) {
      do {
        triggers[index].file = try open(triggers[index], index)
      } catch {
        if failure == nil { failure = error }
      }
    }
  }

  private func open(_ trigger: Trigger, _ index: Int) throws(SystemError) -> (DescriptorBox, Slot) {
    let stall = trigger.level == .warning ? policy.warningStall : policy.criticalStall
    let box = try PressureTrigger.open(
      trigger.path, trigger.level == .warning ? .some : .full, stall: stall.nanoseconds / 1000,
      window: policy.window.nanoseconds / 1000)
    // The close waits for the kernel's readers of the trigger.
    box.closer = closer
    return (box, try reactor.add(box.raw, .priority, as: .pressure(index)))
  }

  /// The level that a ready trigger reports; nil for one whose cgroup is gone, which is ready for ever.
  func ready(_ index: Int, _ readiness: Readiness) -> MemoryPressure? {
    guard triggers.indices.contains(index), triggers[index].file != nil else { return nil }
    guard !readiness.contains(.error) else {
      close(index)
      return nil
    }
    return triggers[index].level
  }

  private func close(_ index: Int) {
    guard let file = triggers[index].file else { return }
    reactor.remove(file.registration)
    file.box.close()
    triggers[index].file = nil
  }

  // MARK: Rest

  /// Reports nothing of this level, nor of a lower one, until `moment`. The triggers are closed: one that
  /// only is not watched remembers a report.
  func rest(_ level: MemoryPressure, until moment: Int64) {
    resting = (max(level, resting?.level ?? level), moment)
    for index in triggers.indices where triggers[index].level <= level { close(index) }
  }

  /// The end of the rest.
  var deadline: Int64? { resting?.until }

  func timeIsUp(at now: Int64) {
    guard let rest = resting, rest.until <= now else { return }
    resting = nil
    openTriggers { $0.level <= rest.level }
  }
}
