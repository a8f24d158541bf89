internal import CLinux

/// The signals of one thread, a bit for each from number 1 on.
package struct ThreadSignals {
  private let signals: clinux_signals

  /// ENOENT or ESRCH: the thread has ended.
  package init(of thread: Int32, in pid: Int32) throws(SystemError) {
    var signals = clinux_signals()
    try systemCall("/proc/\(pid)/task/\(thread)/status") {
      unsafe clinux_thread_signals(pid, thread, &signals)
    }
    self.signals = signals
  }

  /// The number of signals that wait for all processes of the thread's user.
  package var queued: UInt64 { signals.queued }
  /// The signals that wait for the thread or for its process.
  package var pending: UInt64 { signals.pending }
  package var blocked: UInt64 { signals.blocked }
  package var ignored: UInt64 { signals.ignored }
  /// The signals that have a handler.
  package var caught: UInt64 { signals.caught }
}
