import Glibc
import LullSystem
import Synchronization
import Testing

private let serial = Atomic<Int>(0)

/// What a test has for itself: a temporary directory and a cgroup. At the end everything in the cgroup is thawed
/// and killed, and both are removed.
final class Sandbox {
  let directory: String
  /// Below it the daemon makes its own; nil for a daemon that may not have any.
  let cgroup: String

  init() throws {
    try #require(geteuid() == 0, "these tests need root: they start a daemon with a cgroup of its own")
    let number = serial.wrappingAdd(1, ordering: .relaxed).newValue
    var template = Array("/tmp/lull-end-to-end-XXXXXX".utf8CString)
    let made = unsafe mkdtemp(&template) != nil
    try #require(made, "no temporary directory can be made in /tmp")
    directory = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    _ = unsafe chmod(directory, 0o755)
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

  deinit {
    Self.clear(cgroup)
    guard let remover = try? Child(["rm", "-rf", directory]) else { return }
    _ = try? remover.waitForEnd()
  }

  /// Kills what is left in a cgroup and below it, and removes it.
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
