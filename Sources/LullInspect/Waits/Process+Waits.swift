package import LullSystem

extension Process {
  /// The wait of every thread of a frozen process, in the kernel's order. A process that has ended has no
  /// threads, and a thread that has ended is left out. EACCES or EPERM (`isNotPermitted`): no ptrace right
  /// over it. The corresponding C functions are `read` of `/proc/PID/task/TID/syscall` and
  /// `process_vm_readv`.
  package static func waits(
    of pid: Int32, memory: inout WaitMemory
  ) throws(SystemError) -> [ThreadState] {
    var states: [ThreadState] = []
    var reader = WaitReader(pid: pid, now: Clock.monotonic(), memory: memory)
    memory = WaitMemory()
    reader.memory.begin()
    do {
      var room = ShortText()
      var threads = try NumberedEntries("/proc/\(pid)/task")
      while let thread = threads.next() {
        guard let call = try ThreadCall(ofFrozen: thread, in: threads.raw, room: &room) else { continue }
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
