internal import LullSystem
internal import Synchronization

/// Makes a loop's descriptor readable at once, from any thread.
final class Doorbell: Sendable {
  private let counter: EventDescriptor
  private let isRinging = Atomic(false)

  init() throws(SystemError) { counter = try EventDescriptor() }

  var raw: Int32 { counter.raw }

  func ring() {
    guard !isRinging.exchange(true, ordering: .sequentiallyConsistent) else { return }
    // This fails only when the counter is full, and then the doorbell rings already.
    try? counter.signal()
  }

  /// Silences the doorbell; what it rang for is to be looked for afterwards.
  func silence() throws(SystemError) {
    // The race: a ring between the two lines is not lost, because its work is looked for afterwards. In the
    // other order it would be taken from the counter, and no later ring would signal.
    _ = try counter.drain()
    isRinging.store(false, ordering: .sequentiallyConsistent)
  }
}
