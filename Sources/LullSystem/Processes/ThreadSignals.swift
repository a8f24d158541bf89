/// The signals of a thread, a bit for each from number 1 on.
package struct ThreadSignals {
  /// The number of signals that wait for all processes of the thread's user.
  package let queued: UInt64
  /// The signals that wait for the thread or for its process.
  package let pending: UInt64
  package let blocked: UInt64
  package let ignored: UInt64
  /// Those with a handler.
  package let caught: UInt64

  /// ENOENT or ESRCH: the thread has ended. The corresponding C function is `read` of
  /// `/proc/PID/task/TID/status`.
  package init(of thread: Int32, in pid: Int32) throws(SystemError) {
    self.init(try InfoText("/proc/\(pid)/task/\(thread)/status", isOnePiece: true))
  }

  init(_ text: InfoText) {
    // The lines stand in the order in which they are read.
    var place = 0
    func value(_ key: StaticString, radix: UInt64 = 16) -> UInt64 {
      guard let found = text.place(of: key, from: place) else { return 0 }
      let (value, end) = text.number(at: found, radix: radix)
      place = end + 1
      return value
    }
    queued = value("SigQ:", radix: 10)
    pending = value("SigPnd:") | value("ShdPnd:")
    blocked = value("SigBlk:")
    ignored = value("SigIgn:")
    caught = value("SigCgt:")
  }
}
