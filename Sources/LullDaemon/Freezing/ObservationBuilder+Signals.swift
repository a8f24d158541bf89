import LullEngine
import LullInspect
import LullSystem

// Signal-driven input: the kernel tells of a descriptor by a signal, whatever the threads wait for.
extension ObservationBuilder {
  /// Looks for such descriptors among all that a process has open. One that has many and has never used
  /// signals for them is looked at now and then, and its signals are looked at instead, as for hidden timers.
  func listRaising(_ process: Process) throws(SystemError) {
    let facts = memory.raising[process.pid] ?? RaisingFacts()
    memory.raising[process.pid, default: facts].looks += 1
    let count = LullSystem.Process.openFileCount(of: process.pid) ?? .max
    guard count <= services.policy.raisingDescriptors || facts.isDue(services.policy) else {
      return observation.hidesTimers = true
    }
    var entries = try NumberedEntries("/proc/\(process.pid)/fd")
    var numbers: [Int32] = []
    while let number = entries.next() { numbers.append(number) }
    for start in stride(from: 0, to: numbers.count, by: 64) {
      add(.raising(process, Array(numbers[start..<min(start + 64, numbers.count)])))
    }
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
  /// The observations in which the process acted on such signals.
  var looks = 0

  /// True when many descriptors are looked at as well.
  func isDue(_ policy: Policy) -> Bool {
    isUsed || looks < policy.raisingLooks || looks % policy.raisingPeriod == 0
  }
}
