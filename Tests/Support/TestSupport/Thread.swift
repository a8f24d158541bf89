import Glibc

/// Runs a closure on a thread of its own: the threads of the tests may all stand in waits.
package func startThread(_ body: @escaping @Sendable () -> Void) {
  final class Work {
    let body: @Sendable () -> Void

    init(_ body: @escaping @Sendable () -> Void) { self.body = body }
  }
  var thread = pthread_t()
  let work = unsafe Unmanaged.passRetained(Work(body)).toOpaque()
  let result = unsafe pthread_create(
    &thread, nil,
    { work in
      guard let work = unsafe work else { return nil }
      unsafe Unmanaged<Work>.fromOpaque(work).takeRetainedValue().body()
      return nil
    }, work)
  precondition(result == 0, "pthread_create")
  pthread_detach(thread)
}
