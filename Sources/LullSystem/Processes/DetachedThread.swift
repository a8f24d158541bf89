internal import Glibc

/// A thread that nobody waits for, for a call that may wait for long, such as that to a name server.
package enum DetachedThread {
  private final class Work {
    let body: @Sendable () -> Void

    init(_ body: @escaping @Sendable () -> Void) { self.body = body }
  }

  /// Runs a closure in a thread of its own, which ends with it. No signal of the process is handled there.
  /// EAGAIN: too many threads.
  package static func start(_ body: @escaping @Sendable () -> Void) throws(SystemError) {
    // The race: a thread inherits the mask of its creator, who may let a signal act at this moment, and block
    // it later. It would then act here.
    var (all, before) = (sigset_t(), sigset_t())
    unsafe sigfillset(&all)
    unsafe pthread_sigmask(SIG_SETMASK, &all, &before)
    defer { unsafe pthread_sigmask(SIG_SETMASK, &before, nil) }
    var thread = pthread_t()
    let work = unsafe Unmanaged.passRetained(Work(body))
    let code = unsafe pthread_create(
      &thread, nil,
      { work in
        guard let work = unsafe work else { return nil }
        unsafe Unmanaged<Work>.fromOpaque(work).takeRetainedValue().body()
        return nil
      }, work.toOpaque())
    guard code == 0 else {
      unsafe work.release()
      throw SystemError(code: code, call: "pthread_create")
    }
    pthread_detach(thread)
  }
}
