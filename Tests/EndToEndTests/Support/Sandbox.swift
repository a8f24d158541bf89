import Glibc
import LullSystem
import Synchronization
import TestSupport
import Testing

private let serial = Atomic<Int>(0)

/// A test's own temporary directory and cgroup. At the end everything in the cgroup is thawed and killed, and
/// both are removed.
final class Sandbox {
  var directory: String { folder.path }
  /// The cgroup below which the daemon makes its own; nil for a daemon that may have none.
  let cgroup: String
  private let folder: TemporaryDirectory

  init() throws {
    try #require(geteuid() == 0, "these tests need root: they start a daemon with a cgroup of its own")
    let number = serial.wrappingAdd(1, ordering: .relaxed).newValue
    folder = try TemporaryDirectory()
    _ = unsafe chmod(folder.path, 0o755)
    let mount: String
    do {
      mount = try CgroupMount.find()
    } catch {
      throw NothingCame(description: "these tests need a cgroup v2 hierarchy: \(error)")
    }
    cgroup = "\(mount)/lull-end-to-end-\(getpid())-\(number)"
    do {
      _ = try Cgroup.create(at: cgroup)
    } catch {
      throw NothingCame(description: "these tests need the right to make cgroups in \(mount): \(error)")
    }
  }

  deinit { Self.clear(cgroup) }

  /// Kills the rest of the processes in a cgroup and below, and removes it.
  private static func clear(_ path: String) {
    for name in (try? Cgroup.children(of: path)) ?? [] { clear("\(path)/\(name)") }
    guard let cgroup = try? Cgroup.open(at: path) else { return }
    try? cgroup.killAll()
    try? cgroup.thaw()
    let deadline = Deadline()
    while (try? cgroup.state().populated) == true, !deadline.isOver {
      _ = try? Socket.poll(cgroup.events, .priority, timeoutMilliseconds: 20)
    }
    try? cgroup.remove()
  }
}
