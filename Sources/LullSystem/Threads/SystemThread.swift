internal import CLinux
internal import Glibc

/// A thread for a call that may wait for long, such as that to a name server. No signal of the process is
/// handled in it.
package enum SystemThread {
  private final class Work {
    let body: @Sendable () -> Void

    init(_ body: @escaping @Sendable () -> Void) { self.body = body }
  }

  /// The stack of a thread that calls the kernel and little else, in bytes.
  static let smallStack = 128 * 1024

  /// Runs a closure in a thread that nobody waits for, and which ends with it. EAGAIN: too many threads.
  package static func start(
    stack: Int? = nil, _ body: @escaping @Sendable () -> Void
  ) throws(SystemError) {
    _ = try pthread_detach(create(stack, body))
  }

  /// Runs a closure in a thread whose end is waited for (`waitForEnd`). EAGAIN: too many threads.
  static func startJoinable(_ body: @escaping @Sendable () -> Void) throws(SystemError) -> pthread_t {
    try create(smallStack, body)
  }

  static func waitForEnd(of thread: pthread_t) { pthread_join(thread, nil) }

  private static func create(
    _ stack: Int?, _ body: @escaping @Sendable () -> Void
  ) throws(SystemError) -> pthread_t {
    // The race: a thread inherits the mask of its creator, who may let a signal act at this moment, and block
    // it later. It would then act here.
    var (all, before) = (sigset_t(), sigset_t())
    unsafe sigfillset(&all)
    unsafe pthread_sigmask(SIG_SETMASK, &all, &before)
    defer { unsafe pthread_sigmask(SIG_SETMASK, &before, nil) }
    var attributes = pthread_attr_t()
    unsafe pthread_attr_init(&attributes)
    defer { unsafe pthread_attr_destroy(&attributes) }
    if let stack { unsafe pthread_attr_setstacksize(&attributes, stack) }
    var thread = pthread_t()
    let work = unsafe Unmanaged.passRetained(Work(body))
    let code = unsafe pthread_create(
      &thread, &attributes,
      { work in
        guard let work = unsafe work else { return nil }
        unsafe Unmanaged<Work>.fromOpaque(work).takeRetainedValue().body()
        return nil
      }, work.toOpaque())
    guard code == 0 else {
      unsafe work.release()
      throw SystemError(code: code, call: "pthread_create")
    }
    return thread
  }
}
