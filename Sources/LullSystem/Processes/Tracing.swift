internal import CLinux
internal import Glibc

extension Process {
  /// The longest time, in nanoseconds, that a thread may take to be frozen again after `inspect`.
  package static var inspectionNanoseconds: Int64 { Int64(CLINUX_INSPECTION_NANOSECONDS) }

  /// Inspects frozen threads whose call takes what it waits for. The result is a thread that has taken
  /// something, or that could not be inspected; nil when all wait. The inspection sends this process SIGCHLD,
  /// and `Cgroup.state` can say for a moment that the cgroup is not frozen. The corresponding C function is
  /// `ptrace`.
  package static func inspect(_ threads: [Int32]) throws(SystemError) -> Int32? {
    guard !threads.isEmpty else { return nil }
    var inspections = threads.map { clinux_inspection(thread: $0, outcome: CLINUX_INSPECTION_REFUSED) }
    try systemCall("pthread_create") {
      unsafe inspections.withUnsafeMutableBufferPointer { inspections in
        var list = unsafe clinux_inspection_list(
          inspections: inspections.baseAddress, count: inspections.count)
        return unsafe clinux_inspect_threads(&list)
      }
    }
    let refused = inspections.first { $0.outcome == CLINUX_INSPECTION_REFUSED }
    return (refused ?? inspections.first { $0.outcome == CLINUX_INSPECTION_BUSY })?.thread
  }

  /// True when a descriptor of this process and one of another stand for the same open file; false where the
  /// kernel does not tell. The corresponding C function is `kcmp(KCMP_FILE)`.
  package static func isSame(_ own: Int32, as number: Int32, of pid: Int32) -> Bool {
    clinux_same_file(getpid(), own, pid, number) == 0
  }

  /// True unless a thread has a table of descriptors of its own (`unshare(CLONE_FILES)`), as far as the
  /// kernel tells. The corresponding C function is `kcmp(KCMP_FILES)`.
  package static func sharesDescriptors(_ thread: Int32, with pid: Int32) -> Bool {
    clinux_same_files(pid, thread) <= 0
  }
}
