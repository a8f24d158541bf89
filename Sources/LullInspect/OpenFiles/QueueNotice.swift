package import LullSystem

extension Process {
  /// A process gets a signal for the next message of a POSIX message queue (mq_notify). A helper thread that
  /// reads a socket for it does not count: that wait is seen. ENOENT: no such descriptor. The corresponding C
  /// function is `read` of the queue, which the kernel answers with its state.
  package static func raisesSignal(queue number: Int32, of pid: Int32) throws(SystemError) -> Bool {
    var text = ShortText()
    try text.read("/proc/\(pid)/fd/\(number)")
    // "QSIZE:129 NOTIFY:0 SIGNO:10 NOTIFY_PID:8260": 0 is SIGEV_SIGNAL.
    let words = text.string.split { $0 == " " || $0 == "\n" }
    return words.contains("NOTIFY:0") && !words.contains("NOTIFY_PID:0")
  }
}
