import LullChannel
import LullEngine
import LullSystem

/// The kernel's triggers that report pressure on memory: of the whole machine, and of the programs' cgroups,
/// which may have a limit of their own. Nothing is polled. A trigger that is not permitted is left out.
///
/// The kernel counts for the machine also who waits at a limit of its own, such as a container. A report of
/// the machine counts only while the machine is short of memory.
final class PressureWatch {
  private struct Trigger {
    let level: MemoryPressure
    let path: String
    let isOfMachine: Bool
    var file: (box: DescriptorBox, registration: Slot)?
    var rests: Int64?
  }

  private let reactor: DaemonReactor
  private let closer: Closer
  private let policy: PressurePolicy
  /// The folder in the place of `/`; a test brings its own.
  private let root: String
  private var triggers: [Trigger] = []
  private var hasBegun = false
  /// The reason why a first trigger could not be had.
  private(set) var failure: SystemError?

  init(
    _ services: SharedServices, _ policy: PressurePolicy,
    root: String = Identity.environment("LULL_SYSTEM_ROOT") ?? ""
  ) {
    (reactor, closer, self.policy, self.root) = (services.reactor, services.closer, policy, root)
  }

  /// `cgroups` is the directory of the programs' cgroups.
  func begin(cgroups: String?) {
    guard !hasBegun else { return }
    hasBegun = true
    let machine = "\(root)/proc/pressure/memory"
    let paths = [machine] + (cgroups.map { ["\($0)/memory.pressure"] } ?? [])
    triggers = paths.flatMap { path in
      MemoryPressure.allCases.map { Trigger(level: $0, path: path, isOfMachine: path == machine) }
    }
    openTriggers()
  }

  /// The files with triggers, also with such as rest.
  var paths: [String] {
    triggers.reduce(into: []) {
      if $1.file != nil || $1.rests != nil, !$0.contains($1.path) { $0.append($1.path) }
    }
  }

  var openCount: Int { triggers.count { $0.file != nil } }

  /// Nil where the kernel does not tell.
  var availablePercent: Int? {
    (try? MachineMemory.current(root: root)).map { Int($0.available / max($0.total / 100, 1)) }
  }

  private func openTriggers() {
    for index in triggers.indices where triggers[index].file == nil && triggers[index].rests == nil {
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

  /// Nil for a trigger whose cgroup is gone, which is ready for ever, and for a report that does not count:
  /// its trigger rests until `moment`, on CLOCK_BOOTTIME.
  func ready(_ index: Int, _ readiness: Readiness, orRestsUntil moment: Int64) -> MemoryPressure? {
    guard triggers.indices.contains(index), triggers[index].file != nil else { return nil }
    guard !readiness.contains(.error) else {
      close(index)
      return nil
    }
    guard !triggers[index].isOfMachine || isMachineShort else {
      rest(index, until: moment)
      return nil
    }
    return triggers[index].level
  }

  /// Where the kernel does not tell, every report counts.
  private var isMachineShort: Bool {
    guard let memory = try? MachineMemory.current(root: root) else { return true }
    return policy.isShort(available: memory.available, of: memory.total)
  }

  private func close(_ index: Int) {
    guard let file = triggers[index].file else { return }
    reactor.remove(file.registration)
    file.box.close()
    triggers[index].file = nil
  }

  // MARK: Rest

  /// Reports nothing of this level, nor of a lower one, until `moment`, on CLOCK_BOOTTIME.
  func rest(_ level: MemoryPressure, until moment: Int64) {
    for index in triggers.indices where triggers[index].level <= level { rest(index, until: moment) }
  }

  /// The trigger is closed: one that only is not watched remembers a report.
  private func rest(_ index: Int, until moment: Int64) {
    close(index)
    triggers[index].rests = moment
  }

  var deadline: Int64? { triggers.compactMap(\.rests).min() }

  func timeIsUp(at now: Int64) {
    guard let deadline, deadline <= now else { return }
    for index in triggers.indices {
      if let rests = triggers[index].rests, rests <= now { triggers[index].rests = nil }
    }
    openTriggers()
  }
}
