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
    let files = ThreadFiles(of: pid)
    for thread in try unlessGone(try files.threads()) ?? []
    where try serves(sockets, thread: thread, in: files, room: &room) {
      sum &+= try turns(of: thread, in: files, room: &room)
    }
    return sum
  }

  /// The third number of "123456 789 42".
  private static func turns(
    of thread: Int32, in files: ThreadFiles, room: inout ShortText
  ) throws(SystemError) -> UInt64 {
    guard try unlessGone(try files.read(.turns, of: thread, &room)) != nil else { return 0 }
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
    guard try unlessGone(try files.read(.name, of: thread, &room)) != nil else { return false }
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
      let polled = try unlessGone(try call.polledDescriptors(of: thread)) ?? nil
      return polled?.contains { sockets.contains($0.number) } == true
    case .epoll:
      let members = try unlessGone(try epollMembers(of: files.pid, number: call.integer(0))) ?? []
      return members.contains { sockets.contains($0.number) }
    case .reads, .receives: return sockets.contains(call.integer(0))
    default: return false
    }
  }
}
