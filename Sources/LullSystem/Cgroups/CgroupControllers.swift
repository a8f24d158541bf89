internal import Glibc

extension Cgroup {
  /// Limits the processes and threads in the cgroup and below. False when the `pids` controller is not
  /// enabled here.
  package func limitProcesses(to count: Int) -> Bool {
    (try? write("pids.max", "\(count)")) != nil
  }

  /// Gives the cgroups directly below this one a controller, such as "pids". ENOENT or EINVAL: the hierarchy
  /// does not have it here; EBUSY: processes are in it. The corresponding C function is `write` of
  /// `cgroup.subtree_control`.
  package func enable(controller name: String) throws(SystemError) {
    try Self.enable(controller: name, below: path)
  }

  /// The hierarchy's root has no freezer and cannot be opened as a `Cgroup`.
  package static func enable(controller name: String, below path: String) throws(SystemError) {
    try write(path, file: "cgroup.subtree_control", text: "+\(name)")
  }
}
