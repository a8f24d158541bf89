internal import CLinux

extension Process {
  /// Looks at frozen threads whose call takes what it waits for. The result is one that has something in its
  /// hands, or could not be looked at; nil when all wait. That sends this process SIGCHLD, and `Cgroup.state`
  /// can say for a moment that the cgroup is not frozen. The corresponding C function is `ptrace`.
  public static func look(at threads: [Int32]) throws(SystemError) -> Int32? {
    guard !threads.isEmpty else { return nil }
    var looks = threads.map { clinux_look(thread: $0, outcome: CLINUX_LOOK_REFUSED) }
    try systemCall("pthread_create") {
      unsafe looks.withUnsafeMutableBufferPointer { looks in
        var list = unsafe clinux_look_list(looks: looks.baseAddress, count: looks.count)
        return unsafe clinux_look_at_threads(&list)
      }
    }
    let refused = looks.first { $0.outcome == CLINUX_LOOK_REFUSED }
    return (refused ?? looks.first { $0.outcome == CLINUX_LOOK_BUSY })?.thread
  }
}
