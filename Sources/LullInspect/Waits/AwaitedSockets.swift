package import LullSystem

/// The sockets for which a process waits, whether it runs or is frozen.
package struct AwaitedSockets: Equatable, Sendable {
  /// The sockets of the calls in which threads stand, and the members of all epoll sets.
  package fileprivate(set) var inodes: Set<UInt64> = []
  /// False when the process may wait for more: it has an io_uring, or there was no time for all threads.
  package fileprivate(set) var isWhole = true
}

extension Process {
  /// The sockets for which a process waits; at most `limit` of its descriptors are read, and no more threads
  /// after the moment `end` (CLOCK_BOOTTIME). E2BIG (`isTooMany`): it has more descriptors; ENOENT: it has
  /// ended, or closed one meanwhile; EACCES or EPERM: no ptrace right over it. The corresponding C functions
  /// are `readlink` of `/proc/PID/fd/N`, `read` of `/proc/PID/fdinfo/N` and of `/proc/PID/task/TID/syscall`.
  package static func awaitedSockets(
    of pid: Int32, limit: Int, until end: Int64
  ) throws(SystemError) -> AwaitedSockets {
    var found = AwaitedSockets()
    var inodes: [Int32: UInt64] = [:]
    for file in try openFiles(of: pid, limit: limit) {
      switch file.kind {
      case .socket(let inode): inodes[file.number] = inode
      case .epoll: found.inodes.formUnion(try epollMembers(of: pid, number: file.number).map(\.inode))
      case .ring: found.isWhole = false
      default: break
      }
    }
    var room = ShortText()
    let files = ThreadFiles(of: pid)
    for thread in try files.threads() {
      guard Clock.boottime() < end else {
        found.isWhole = false
        break
      }
      guard let call = try ThreadCall(of: thread, in: files, room: &room) else { continue }
      for number in try call.awaitedNumbers(of: thread) {
        if let inode = inodes[number] { found.inodes.insert(inode) }
      }
    }
    return found
  }
}

extension ThreadCall {
  /// The descriptors for which the call waits, without those in epoll sets.
  fileprivate func awaitedNumbers(of thread: Int32) throws(SystemError) -> [Int32] {
    switch wait.kind {
    // The kernel goes on with a poll that a freeze cut off under another number, with the same arguments.
    case .poll, .restart: return try polledDescriptors(of: thread)?.map(\.number) ?? []
    case .select: return try selectedDescriptors(of: thread)?.map(\.number) ?? []
    default:
      guard case .descriptors(let waited) = plainWait else { return [] }
      return waited.map(\.number)
    }
  }
}
