import Glibc
import LullSystem
import TestSupport
import Testing

/// A uid without rights, with a delegated part of the sandbox's cgroup and a copy of the programs.
final class Nobody {
  /// The first words of a command of that uid.
  let prefix: [String]
  /// The folder of the programs, in which that uid may write.
  let folder: String

  init(_ sandbox: Sandbox, copying programs: [String]) throws {
    folder = sandbox.directory
    for name in programs { try Kernel.copy(Built.program(name), to: "\(folder)/\(name)", mode: 0o755) }
    try Kernel.copy(Built.helper("puppet"), to: "\(folder)/puppet", mode: 0o755)
    try Kernel.check(unsafe chmod(folder, 0o777))
    for file in ["", "/cgroup.procs", "/cgroup.freeze", "/cgroup.subtree_control"] {
      try Kernel.check(unsafe chown(sandbox.cgroup + file, 65534, 65534))
    }
    // A process may be moved only by a user who may write the common ancestor: the programs start in the
    // delegated part.
    let start = try Cgroup.create(at: "\(sandbox.cgroup)/start")
    try Kernel.check(unsafe chown("\(start.path)/cgroup.procs", 65534, 65534))
    prefix = [
      "sh", "-c", "echo $$ >\(start.path)/cgroup.procs && exec \"$@\"", "sh", "setpriv", "--reuid=65534",
      "--regid=65534", "--clear-groups",
    ]
  }

  /// Starts one of the copied programs for a daemon of that uid.
  func start(_ command: [String], _ lull: Lull) throws -> ConnectedChild {
    try ConnectedChild(
      prefix + ["\(folder)/\(command[0])"] + command.dropFirst(), environment: lull.environment)
  }
}
