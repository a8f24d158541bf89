internal import Glibc

/// A value that threads share: one of them has it at a time, and the others can wait until it has changed.
@safe final class Monitor<Value>: @unchecked Sendable {
  private var value: Value
  private let lock = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
  private let change = UnsafeMutablePointer<pthread_cond_t>.allocate(capacity: 1)

  init(_ value: Value) {
    self.value = value
    var attributes = pthread_condattr_t()
    unsafe pthread_condattr_init(&attributes)
    // The user can set the date back while a thread waits.
    unsafe pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC)
    unsafe pthread_cond_init(change, &attributes)
    unsafe pthread_condattr_destroy(&attributes)
    unsafe pthread_mutex_init(lock, nil)
  }

  deinit {
    unsafe pthread_cond_destroy(change)
    unsafe pthread_mutex_destroy(lock)
    unsafe change.deallocate()
    unsafe lock.deallocate()
  }

  func change<Result>(_ body: (inout Value) -> Result) -> Result {
    unsafe pthread_mutex_lock(lock)
    defer {
      unsafe pthread_cond_broadcast(change)
      unsafe pthread_mutex_unlock(lock)
    }
    return body(&value)
  }

  func read<Result>(_ body: (Value) -> Result) -> Result {
    unsafe pthread_mutex_lock(lock)
    defer { unsafe pthread_mutex_unlock(lock) }
    return body(value)
  }

  /// Changes the value as soon as a condition is met. Nil when the moment of `deadline`, on CLOCK_MONOTONIC,
  /// comes before; without a deadline the wait is for ever.
  func change<Result>(
    when isMet: (Value) -> Bool, by deadline: (Value) -> Int64?, _ body: (inout Value) -> Result
  ) -> Result? {
    unsafe pthread_mutex_lock(lock)
    defer {
      unsafe pthread_cond_broadcast(change)
      unsafe pthread_mutex_unlock(lock)
    }
    while !isMet(value) {
      guard let moment = deadline(value) else {
        unsafe pthread_cond_wait(change, lock)
        continue
      }
      guard moment > Clock.monotonic() else { return nil }
      var time = timespec(tv_sec: Int(moment / 1_000_000_000), tv_nsec: Int(moment % 1_000_000_000))
      unsafe pthread_cond_timedwait(change, lock, &time)
    }
    return body(&value)
  }
}
