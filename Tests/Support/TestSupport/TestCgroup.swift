import Glibc
package import LullSystem
import Synchronization
import Testing

private let serial = Atomic<Int>(0)

/// A cgroup of its own for one test; at its end everything in it is killed and it is removed.
package final class TestCgroup {
  package let cgroup: Cgroup

  package init(below parent: TestCgroup? = nil) throws {
    let root = try parent?.cgroup.path ?? CgroupMount.find()
    let number = serial.wrappingAdd(1, ordering: .relaxed).newValue
    do {
      cgroup = try Cgroup.create(at: "\(root)/lull-test-\(getpid())-\(number)")
    } catch {
      Issue.record("these tests need the right to make cgroups in \(root): \(error)")
      throw error
    }
  }

  deinit {
    try? cgroup.killAll()
    try? cgroup.thaw()
    let end = Clock.boottime() + Int64(patience) * 1_000_000
    while (try? cgroup.state().populated) == true, Clock.boottime() < end {
      _ = try? Socket.poll(cgroup.events, .priority, timeoutMilliseconds: 20)
    }
    try? cgroup.remove()
  }

  /// Freezes the cgroup and reads the state again until the freeze is confirmed.
  package func freeze() throws {
    try cgroup.freeze()
    try confirm(frozen: true)
  }

  /// Reads the state again until it is as wanted.
  package func confirm(frozen: Bool) throws {
    try eventually("the cgroup did not become frozen \(frozen)") { try cgroup.state().frozen == frozen }
  }
}
