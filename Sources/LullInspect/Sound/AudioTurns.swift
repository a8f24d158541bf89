package import LullSystem

extension Process {
  /// The turns of the threads that serve one of these sockets of a process: threads that poll a socket, wait
  /// for it with epoll or read from it, and threads with a sound library's name. A larger number than before
  /// shows that sound flows. 0 for a process that has ended; EACCES or EPERM (`isNotPermitted`): no ptrace
  /// right over it. The corresponding C functions are `read` of `/proc/PID/task/TID/schedstat` and
  /// `process_vm_readv`.
  package static func audioTurns(of pid: Int32, sockets: [Int32]) throws(SystemError) -> UInt64 {
    var room = ShortText()
    var sum: UInt64 = 0
    do {
      let files = ThreadFiles(of: pid)
      for thread in try files.threads() {
        if try serves(sockets, thread: thread, in: files, room: &room) {
          sum &+= try turns(of: thread, in: files, room: &room)
        }
      }
    } catch {
      guard error.isNoSuchFile || error.isNoSuchProcess else { throw error }
    }
    return sum
  }

  /// The third number of "123456 789 42".
  private static func turns(
    of thread: Int32, in files: ThreadFiles, room: inout ShortText
  ) throws(SystemError) -> UInt64 {
    guard try readIfThere(.turns, of: thread, in: files, room: &room) else { return 0 }
    var (spaces, index) = (0, 0)
    while index < room.count, spaces < 2 {
      if room.bytes[index] == UInt8(ascii: " ") { spaces += 1 }
      index += 1
    }
    return room.number(at: index) ?? 0
  }

  /// PipeWire's and JACK's own threads wait on descriptors of their own.
  private static func isSoundThread(
    _ thread: Int32, in files: ThreadFiles, room: inout ShortText
  ) throws(SystemError) -> Bool {
    guard try readIfThere(.name, of: thread, in: files, room: &room) else { return false }
    return room.hasPrefix("data-loop") || room.hasPrefix("pw-data") || room.hasPrefix("jack")
  }

  private static func serves(
    _ sockets: [Int32], thread: Int32, in files: ThreadFiles, room: inout ShortText
  ) throws(SystemError) -> Bool {
    if try isSoundThread(thread, in: files, room: &room) { return true }
    guard !sockets.isEmpty, let call = try ThreadCall(of: thread, in: files, room: &room) else {
      return false
    }
    switch call.wait.kind {
    case .poll:
      return try call.polledDescriptors(of: thread)?.contains { sockets.contains($0.number) } ?? false
    case .epoll:
      return try members(of: call.integer(0), in: files.pid).contains { sockets.contains($0.number) }
    case .reads, .receives: return sockets.contains(call.integer(0))
    default: return false
    }
  }

  private static func members(of epoll: Int32, in pid: Int32) throws(SystemError) -> [EpollMember] {
    do {
      return try epollMembers(of: pid, number: epoll)
    } catch {
      guard error.isNoSuchFile || error.isNoSuchProcess else { throw error }
      return []
    }
  }

  private static func readIfThere(
    _ file: ThreadFiles.File, of thread: Int32, in files: ThreadFiles, room: inout ShortText
  ) throws(SystemError) -> Bool {
    do {
      try files.read(file, of: thread, &room)
      return true
    } catch {
      if error.isNoSuchFile || error.isNoSuchProcess { return false }
      throw error
    }
  }
}
