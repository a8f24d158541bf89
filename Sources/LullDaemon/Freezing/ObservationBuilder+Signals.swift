import LullEngine
import LullInspect
import LullSystem

// Signal-driven input: the kernel tells of a descriptor by a signal, whatever the threads wait for.
extension ObservationBuilder {
  /// Looks for such descriptors among all that a process has open; the signal may be for another process
  /// (F_SETOWN). Any signal can be used (F_SETSIG), but nearly every program acts on some, so one that acts
  /// only on others than the usual ones is looked at now and then. So is one that has many descriptors and
  /// has never used signals for them, and its signals are looked at instead, as for hidden timers.
  func listRaising(_ process: Process) throws(SystemError) {
    guard heard.handled != 0 else { return }
    var facts = memory.raising[process.pid] ?? RaisingFacts()
    let isDue = facts.isDue(heard.handled, services.policy)
    memory.raising[process.pid] = facts
    guard isDue || (heard.hearsDescriptors && hasFewFiles(process)) else {
      if heard.hearsDescriptors { observation.hidesTimers = true }
      return
    }
    try addSteps(of: process) { .raising(process, $0) }
  }

  /// Adds a step for each few of the descriptors of a process.
  func addSteps(of process: Process, _ step: ([Int32]) -> Step) throws(SystemError) {
    var entries = try NumberedEntries("/proc/\(process.pid)/fd")
    var numbers: [Int32] = []
    while let number = entries.next() { numbers.append(number) }
    for start in stride(from: 0, to: numbers.count, by: 64) {
      add(step(Array(numbers[start..<min(start + 64, numbers.count)])))
    }
  }

  private func hasFewFiles(_ process: Process) -> Bool {
    let count = LullSystem.Process.openFileCount(of: process.pid) ?? .max
    return count <= services.policy.raisingDescriptors
  }

  func takeRaising(_ numbers: [Int32], of process: Process) throws(SystemError) {
    for number in numbers {
      guard let duplicate = journal.ignoring(.gone, try services.duplicate(number, of: process.pidfd))
      else { continue }
      defer { services.releases.add(duplicate) }
      // What was opened with O_PATH alone raises nothing.
      guard let raised = try? RaisedSignals.of(duplicate.raw) else { continue }
      let status = try FileStatus.of(duplicate.raw)
      let isQueue = status.shape == .stored && FileStatus.isMessageQueue(duplicate.raw)
      if !raised.isEmpty || isQueue { memory.raising[process.pid]?.isUsed = true }
      if raised.contains(.lease) { return refuse(.lease, process) }
      if raised.contains(.owned), status.shape == .stored { return refuse(.directoryNotice, process) }
      if isQueue,
        journal.ignoring(.gone, try LullSystem.Process.raisesSignal(queue: number, of: process.pid)) == true
      {
        return refuse(.queueNotice, process)
      }
      if raised.contains(.readiness) {
        try take(
          number, of: process, interest: [.readable, .priority, .readHangUp], role: .open, inode: nil)
      } else if raised.contains(.owned), status.shape == .socket {
        try take(number, of: process, interest: .priority, role: .open, inode: nil)
      }
    }
  }
}

/// The memory of the signals that a process gets for its descriptors.
struct RaisingFacts {
  /// True once a descriptor was found that raises a signal.
  var isUsed = false
  /// The signals on which the program has acted, and the observations since there was a new one.
  private var handled: UInt64 = 0
  private var looks = 0

  /// True at an observation at which the descriptors are looked at, whatever their number and the signals.
  /// Who begins to use a signal for a descriptor mostly sets a handler for it first.
  mutating func isDue(_ handled: UInt64, _ policy: Policy) -> Bool {
    if handled & ~self.handled != 0 { (self.handled, looks) = (self.handled | handled, 0) }
    defer { looks += 1 }
    return isUsed || looks < policy.raisingLooks || looks % policy.raisingPeriod == 0
  }
}
