internal import LullModel
package import LullSystem

struct WaitReader {
  let pid: Int32
  let now: Int64
  var memory: WaitMemory

  mutating func state(of thread: Int32, in call: ThreadCall) throws(SystemError) -> ThreadState {
    guard call.wait.kind == .restart else { return try state(of: thread, in: call, entry: nil) }
    guard let entry = memory.recall(thread), entry.call.hasArguments(of: call) else {
      return ThreadState(thread: thread, wait: .unknown)
    }
    return try state(of: thread, in: entry.call, entry: entry)
  }

  /// `entry` is set for a call that goes on.
  private mutating func state(
    of thread: Int32, in call: ThreadCall, entry: WaitMemory.Entry?
  ) throws(SystemError) -> ThreadState {
    let kind = call.wait.kind
    switch kind {
    case .poll, .select:
      let waited =
        kind == .poll
        ? try call.polledDescriptors(of: thread) : try call.selectedDescriptors(of: thread)
      guard let waited else { return ThreadState(thread: thread, wait: .works) }
      let (timeOut, period) = try restartable(thread, call: call, entry: entry)
      return ThreadState(
        thread: thread, wait: waited.isEmpty ? .time : .descriptors(waited), timeOut: timeOut, period: period,
        course: call.wait.timeOut == .milliseconds ? .goesOn : .standsStill)
    case .time:
      let (timeOut, period) = try restartable(thread, call: call, entry: entry)
      return ThreadState(thread: thread, wait: .time, timeOut: timeOut, period: period)
    case .futex: return try futex(thread, call: call, entry: entry)
    case .futexes: return try futexes(thread, call)
    case .ring: return try ring(thread, call)
    default:
      let wait = call.plainWait
      guard wait != .works else { return ThreadState(thread: thread, wait: .works) }
      return ThreadState(
        thread: thread, wait: wait, timeOut: try call.ownTimeOut(of: thread), course: .beginsAnew,
        needsInspection: call.takes)
    }
  }

  private mutating func restartable(
    _ thread: Int32, call: ThreadCall, entry: WaitMemory.Entry?
  ) throws(SystemError) -> (timeOut: Int64?, period: Int64?) {
    let timeOut = if let entry { left(entry) } else { try call.ownTimeOut(of: thread) }
    let period = if let entry { entry.period } else { period(thread, call: call, timeOut: timeOut) }
    memory.remember(
      .init(thread: thread, call: call, end: timeOut.map { now &+ $0 }, period: period, isShared: nil))
    return (timeOut, period)
  }

  /// The whole time-out of a wait that has gone on for a while, as far as the wait before tells: a thread
  /// that waits again at once has waited since the end of the wait before.
  private mutating func period(_ thread: Int32, call: ThreadCall, timeOut: Int64?) -> Int64? {
    guard let timeOut, let known = memory.recall(thread), let end = known.end,
      known.call.number == call.number, known.call.hasArguments(of: call)
    else { return nil }
    // The kernel writes the rest of the time-out back for select and ppoll.
    if end > now { return timeOut <= end - now ? known.period : nil }
    return now - end < Self.soonAgain ? now &+ timeOut - end : nil
  }

  private static var soonAgain: Int64 { 200_000_000 }

  private func left(_ entry: WaitMemory.Entry) -> Int64? { entry.end.map { max(0, $0 - now) } }
}

/// Waits that other threads or the kernel's own rings end.
extension WaitReader {
  private mutating func futex(
    _ thread: Int32, call: ThreadCall, entry: WaitMemory.Entry?
  ) throws(SystemError) -> ThreadState {
    guard let operation = call.futexOperation else { return ThreadState(thread: thread, wait: .works) }
    if !operation.takes, try !call.holdsFutex(of: thread) {
      return ThreadState(thread: thread, wait: .works)
    }
    let timeOut = if let entry { left(entry) } else { try call.futexTimeOut(of: thread) }
    let isShared = try call.isPrivateFutex ? false : sharing(thread, call)
    memory.remember(.init(thread: thread, call: call, end: timeOut.map { now &+ $0 }, isShared: isShared))
    return ThreadState(
      thread: thread, wait: isShared ? .unwatchable(.sharedFutex) : .thread, timeOut: timeOut,
      needsInspection: operation.takes)
  }

  /// Asks the kernel only at the first reading of a wait.
  private mutating func sharing(_ thread: Int32, _ call: ThreadCall) throws(SystemError) -> Bool {
    if let known = memory.recall(thread), let isShared = known.isShared, known.call.hasArguments(of: call) {
      return isShared
    }
    return try ProcessMemory.isShared(call.argument(0), of: pid)
  }

  private func futexes(_ thread: Int32, _ call: ThreadCall) throws(SystemError) -> ThreadState {
    guard let waiters = try call.futexWaiters(of: thread) else {
      return ThreadState(thread: thread, wait: .works)
    }
    let isPrivate = waiters.allSatisfy(\.isPrivate)
    let timeOut = try call.remaining(
      of: thread, at: call.argument(3), clock: KernelClock(number: call.integer(4)))
    return ThreadState(
      thread: thread, wait: isPrivate ? .thread : .unwatchable(.sharedFutex), timeOut: timeOut)
  }

  private func ring(_ thread: Int32, _ call: ThreadCall) throws(SystemError) -> ThreadState {
    guard call.waitsForCompletions else { return ThreadState(thread: thread, wait: .works) }
    let wait: ThreadWait = call.isRegisteredRing ? .unwatchable(.ring) : .ring(call.integer(0))
    return ThreadState(
      thread: thread, wait: wait, timeOut: try call.ringTimeOut(of: thread), course: .beginsAnew)
  }
}

extension Process {
  /// The wait of every thread of a frozen process, in the kernel's order. A process that has ended has no
  /// threads, and a thread that has ended is left out. EACCES or EPERM (`isNotPermitted`): no ptrace right
  /// over it. The corresponding C functions are `read` of `/proc/PID/task/TID/syscall` and
  /// `process_vm_readv`.
  package static func waits(
    in files: ThreadFiles, memory: inout WaitMemory
  ) throws(SystemError) -> [ThreadState] {
    var states: [ThreadState] = []
    var reader = WaitReader(pid: files.pid, now: Clock.monotonic(), memory: memory)
    memory = WaitMemory()
    reader.memory.begin()
    do {
      var room = ShortText()
      for thread in try files.threads() {
        guard let call = try ThreadCall(ofFrozen: thread, in: files, room: &room) else { continue }
        states.append(try reader.state(of: thread, in: call))
      }
    } catch {
      guard error.isNoSuchFile || error.isNoSuchProcess else { throw error }
    }
    reader.memory.finish()
    memory = reader.memory
    return states
  }
}
