extension Process {
  /// The children of all threads of a process that have not been waited for, in whatever cgroup they are;
  /// empty when the process has ended. The corresponding C function is `read` of
  /// `/proc/PID/task/TID/children`.
  package static func children(of pid: Int32) throws(SystemError) -> [Int32] {
    var children: [Int32] = []
    do {
      var threads = try NumberedEntries("/proc/\(pid)/task")
      while let thread = threads.next() {
        let text = try InfoText("/proc/\(pid)/task/\(thread)/children")
        var start = 0
        while start < text.bytes.count {
          let child = text.number(at: start)
          if child.value > 0 { children.append(Int32(truncatingIfNeeded: child.value)) }
          start = child.end + 1
        }
      }
    } catch {
      guard error.isNoSuchFile || error.isNoSuchProcess else { throw error }
    }
    return children
  }
}
