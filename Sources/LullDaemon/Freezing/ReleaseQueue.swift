import LullChannel
import LullSystem

/// Descriptors that are no longer needed, until they are closed. A few hundred are closed in the turn in
/// which they are given up. The thousands of a large program are closed over the next turns, so that no wake
/// waits for them.
final class ReleaseQueue {
  private struct Given {
    let descriptor: DescriptorBox
    let registration: Slot?
  }

  /// In nanoseconds of one turn.
  private static let time: Int64 = 1_000_000

  private let reactor: DaemonReactor
  private var given: [Given] = []

  init(_ reactor: DaemonReactor) { self.reactor = reactor }

  var isEmpty: Bool { given.isEmpty }

  func add(_ descriptor: DescriptorBox, _ registration: Slot? = nil) {
    given.append(Given(descriptor: descriptor, registration: registration))
  }

  func letGo() {
    let start = Clock.boottime()
    while let one = given.popLast() {
      // The descriptor is removed first: a closed duplicate that is registered keeps its events coming.
      if let registration = one.registration { reactor.remove(registration) }
      one.descriptor.close()
      if given.count % 32 == 0, Clock.boottime() - start >= Self.time { return }
    }
  }
}
