internal import Glibc

extension Cgroup {
  /// Limits how many processes and threads may be in it and below. False when that is not possible, because the
  /// `pids` controller is not enabled here. The corresponding C function is `write` of `pids.max`.
  public func limitProcesses(to count: Int) -> Bool {
    (try? write("pids.max", "\(count)")) != nil
  }

  /// Gives the cgroups directly below it a controller, such as "pids". ENOENT or EINVAL: the hierarchy does not
  /// have it here; EBUSY: processes are in it. The corresponding C function is `write` of
  /// `cgroup.subtree_control`.
  public func enable(controller name: String) throws(SystemError) {
    try Self.enable(controller: name, below: path)
  }

  /// Gives the cgroups directly below the one at `path` a controller. The hierarchy's root has no freezer and
  /// cannot be opened as a `Cgroup`. The corresponding C function is `write` of `cgroup.subtree_control`.
  public static func enable(controller name: String, below path: String) throws(SystemError) {
    try write(path, "cgroup.subtree_control", "+\(name)")
  }
}
