package import LullSystem

package struct EpollMember: Equatable, Sendable {
  /// The number may have been closed or given to another file since.
  package let number: Int32
  /// Empty while a one-shot watch is disarmed.
  package let interest: Interest
  package let inode: UInt64
}

extension Process {
  /// Empty also for a descriptor that is no epoll set. ENOENT: no such descriptor or process. The
  /// corresponding C function is `read` of `/proc/PID/fdinfo/N`.
  package static func epollMembers(of pid: Int32, number: Int32) throws(SystemError) -> [EpollMember] {
    let text = try InfoText("/proc/\(pid)/fdinfo/\(number)", isOnePiece: true)
    var members: [EpollMember] = []
    var start = 0
    while let place = text.place(of: "tfd:", from: start) {
      // "tfd:        5 events:       19 data:                5  pos:0 ino:2a sdev:d"
      let descriptor = text.number(at: place)
      let events = text.hexadecimal(behind: "events:", from: descriptor.end)
      let inode = text.hexadecimal(behind: "ino:", from: events.end)
      members.append(
        EpollMember(
          number: Int32(truncatingIfNeeded: descriptor.value),
          interest: Interest(rawValue: UInt32(truncatingIfNeeded: events.value)), inode: inode.value))
      start = text.endOfLine(from: inode.end)
    }
    return members
  }
}

extension InfoText {
  fileprivate func hexadecimal(behind word: StaticString, from start: Int) -> (value: UInt64, end: Int) {
    var index = start
    while index < bytes.count, bytes[index] != UInt8(ascii: "\n") {
      if hasKey(word, at: index) { return number(at: index + word.utf8CodeUnitCount, radix: 16) }
      index += 1
    }
    return (0, index)
  }

  fileprivate func endOfLine(from start: Int) -> Int {
    var index = start
    while index < bytes.count, bytes[index] != UInt8(ascii: "\n") { index += 1 }
    return index + 1
  }
}
