internal import Glibc

extension Cgroup {
  /// Limits the processes and threads in the cgroup and below. False when the `pids` controller is not
  /// enabled here.
  package func limitProcesses(to count: Int) -> Bool {
    (try? write("pids.max", "\(count)")) != nil
  }

  /// Limits the processor time of the cgroup, in percent of one processor; nil takes the limit away. False
  /// when the `cpu` controller is not enabled here.
  package func limitProcessor(toPercent percent: Int32?) -> Bool {
    (try? write("cpu.max", percent.map { "\($0)000 100000" } ?? "max")) != nil
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

  package enum Weight: String, CaseIterable, Sendable {
    case processor = "cpu.weight"
    case disks = "io.weight"
  }

  /// The weight of the cgroup among its neighbours, from 1 to 10000; nil where the controller is not enabled.
  /// The corresponding C functions are `openat` and `read`.
  package func weight(_ weight: Weight) -> Int? {
    guard let text = try? Files.read(weight.rawValue, in: directory, limit: 1 << 12) else { return nil }
    // `io.weight` begins with the word "default", and may name devices on further lines.
    let line = text.prefix { $0 != UInt8(ascii: "\n") }
    return line.split(separator: UInt8(ascii: " ")).last.flatMap { Int(String(decoding: $0, as: UTF8.self)) }
  }

  /// ENOENT: the controller is not enabled.
  package func setWeight(_ weight: Weight, to value: Int) throws(SystemError) {
    try write(weight.rawValue, "\(value)")
  }

  /// The processor time of all processes that were ever in the cgroup or below, in nanoseconds. The
  /// corresponding C functions are `openat` and `read` of `cpu.stat`.
  package func processorTime() throws(SystemError) -> Int64 {
    var text = ShortText()
    try text.read("cpu.stat", in: directory)
    // The time is the first line.
    if text.hasPrefix("usage_usec "), let time = text.number(at: 11) { return Int64(clamping: time) &* 1000 }
    throw SystemError(code: ENOTSUP, call: "\(path)/cpu.stat")
  }
}
