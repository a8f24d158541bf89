internal import Glibc

package struct SignalMask: Sendable {
  let set: sigset_t

  package static func current() throws(SystemError) -> SignalMask {
    var set = sigset_t()
    let result = unsafe pthread_sigmask(SIG_BLOCK, nil, &set)
    guard result == 0 else { throw SystemError(code: result, call: "pthread_sigmask") }
    return SignalMask(set: set)
  }
}

extension Signal {
  /// Holds signals back from this thread: they wait, or are collected by a `SignalDescriptor`.
  /// The corresponding C function is `pthread_sigmask(SIG_BLOCK)`.
  package static func block(_ signals: [Int32]) throws(SystemError) {
    try changeMask(SIG_BLOCK, signals)
  }

  /// Lets signals act on this thread as they are set to act: a frozen process ends at once of a signal that
  /// it neither blocks nor handles, but notices a blocked signal only when it is thawed. The corresponding C
  /// function is `pthread_sigmask(SIG_UNBLOCK)`.
  package static func unblock(_ signals: [Int32]) throws(SystemError) {
    try changeMask(SIG_UNBLOCK, signals)
  }

  private static func changeMask(_ how: Int32, _ signals: [Int32]) throws(SystemError) {
    var set = sigset_t()
    unsafe sigemptyset(&set)
    for signal in signals { unsafe sigaddset(&set, signal) }
    let result = unsafe pthread_sigmask(how, &set, nil)
    guard result == 0 else { throw SystemError(code: result, call: "pthread_sigmask") }
  }
}
