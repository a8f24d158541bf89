internal import CLinux
internal import Glibc

extension Process {
  /// The signals that a thread takes in its call. The kernel blocks them again as soon as the call is cut
  /// off.
  static func awaited(_ pid: Int32, _ thread: Int32) throws(SystemError) -> UInt64 {
    let task = try Descriptor(
      owning: systemCall("open") { unsafe open("/proc/\(pid)/task", O_RDONLY | O_DIRECTORY | O_CLOEXEC) })
    var room = ShortText()
    guard let call = try ThreadCall(ofFrozen: thread, in: task.raw, room: &room),
      call.wait.kind == CLINUX_WAIT_TAKES_SIGNAL
    else { return 0 }
    var set: UInt64 = 0
    return try call.read(call.argument(0), of: thread, into: &set) ? set : 0
  }
}
