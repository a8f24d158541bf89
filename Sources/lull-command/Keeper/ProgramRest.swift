import LullSystem

/// Whether a program rests: for two pauses in a row it has used no processor time, and each of its threads
/// waits for something else than a disk.
struct ProgramRest {
  /// In nanoseconds.
  static let pause: Int64 = 5_000_000

  private let cgroup: Cgroup
  private var processorTime: Int64?
  private var pauses = 0

  /// Nil where the cgroup of the process cannot be read.
  init?(of pid: Int32) {
    guard let path = try? Process.cgroupPath(of: pid), let mount = try? CgroupMount.find(),
      let cgroup = try? Cgroup.open(at: mount + path)
    else { return nil }
    self.cgroup = cgroup
  }

  mutating func isReached() -> Bool {
    let time = try? cgroup.processorTime()
    pauses = time != nil && time == processorTime && isWaiting ? pauses + 1 : 0
    processorTime = time
    return pauses == 2
  }

  private var isWaiting: Bool {
    guard let processes = try? cgroup.processes(), !processes.isEmpty else { return false }
    return processes.allSatisfy { (try? Process.areThreadsWaiting($0)) == true }
  }
}
