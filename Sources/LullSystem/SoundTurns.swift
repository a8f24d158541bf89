internal import CLinux
internal import Glibc

extension Process {
  /// How often the threads have run that serve one of these sockets of a process: those that poll it, wait for it
  /// with epoll or read from it, and those that a sound library names as its own. Compared with an earlier sum it
  /// tells whether sound flows. 0 for a process that has ended; EACCES or EPERM (`isNotPermitted`): no ptrace right
  /// over it. The corresponding C functions are `read` of `/proc/PID/task/TID/schedstat` and `process_vm_readv`.
  public static func soundTurns(of pid: Int32, sockets: [Int32]) throws(SystemError) -> UInt64 {
    var room = ShortText()
    var sum: UInt64 = 0
    do {
      var threads = try NumberedEntries("/proc/\(pid)/task")
      while let thread = threads.next() {
        if try serves(sockets, pid, thread, in: threads.raw, room: &room) {
          sum &+= try turns(of: thread, in: threads.raw, room: &room)
        }
      }
    } catch {
      guard error.isNoSuchFile || error.isNoSuchProcess else { throw error }
    }
    return sum
  }

  /// The third number of "123456 789 42".
  private static func turns(
    of thread: Int32, in tasks: Int32, room: inout ShortText
  ) throws(SystemError) -> UInt64 {
    guard try readIfThere("\(thread)/schedstat", in: tasks, room: &room) else { return 0 }
    var (spaces, index) = (0, 0)
    while index < room.count, spaces < 2 {
      if room.bytes[index] == UInt8(ascii: " ") { spaces += 1 }
      index += 1
    }
    return room.number(at: index) ?? 0
  }

  /// PipeWire's and JACK's own threads wait on descriptors of their own.
  private static func isSoundThread(
    _ thread: Int32, in tasks: Int32, room: inout ShortText
  ) throws(SystemError) -> Bool {
    guard try readIfThere("\(thread)/comm", in: tasks, room: &room) else { return false }
    return room.hasPrefix("data-loop") || room.hasPrefix("pw-data") || room.hasPrefix("jack")
  }

  private static func serves(
    _ sockets: [Int32], _ pid: Int32, _ thread: Int32, in tasks: Int32, room: inout ShortText
  ) throws(SystemError) -> Bool {
    if try isSoundThread(thread, in: tasks, room: &room) { return true }
    guard !sockets.isEmpty, let call = try ThreadCall(of: thread, in: tasks, room: &room) else {
      return false
    }
    switch call.meaning.kind {
    case CLINUX_CALL_POLLS: return try call.polled(by: thread).contains { sockets.contains($0) }
    case CLINUX_CALL_EPOLLS:
      return try watched(by: call.integer(0), of: pid).contains { sockets.contains($0) }
    case CLINUX_CALL_READS: return sockets.contains(call.integer(0))
    default: return false
    }
  }

  /// The descriptors in an epoll descriptor of a process.
  private static func watched(by epoll: Int32, of pid: Int32) throws(SystemError) -> [Int32] {
    do {
      return try values("tfd:", in: "/proc/\(pid)/fdinfo/\(epoll)").map { Int32(truncatingIfNeeded: $0) }
    } catch {
      if error.isNoSuchFile || error.isNoSuchProcess { return [] }
      throw error
    }
  }

  private static func readIfThere(
    _ path: String, in tasks: Int32, room: inout ShortText
  ) throws(SystemError) -> Bool {
    do {
      try room.read(path, in: tasks)
      return true
    } catch {
      if error.isNoSuchFile || error.isNoSuchProcess { return false }
      throw error
    }
  }
}

extension ThreadCall {
  /// The descriptors of the array that a thread in poll waits for, 4096 at the most.
  fileprivate func polled(by thread: Int32) throws(SystemError) -> [Int32] {
    let count = Int(clamping: min(argument(1), 4096))
    var entries = [pollfd](repeating: pollfd(), count: count)
    guard count > 0, argument(0) != 0 else { return [] }
    let address = argument(0)
    do {
      try systemCall("process_vm_readv") {
        unsafe entries.withUnsafeMutableBytes { room in
          unsafe clinux_read_memory(thread, address, room.baseAddress, room.count)
        }
      }
    } catch {
      if error.code == EFAULT || error.isNoSuchProcess { return [] }
      throw error
    }
    return entries.map(\.fd)
  }
}
