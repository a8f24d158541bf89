internal import Glibc
package import LullModel

// 0 and below mean groups, and 1 is nobody's: these are never opened, and count as ended.
extension ProcessIdentity {
  /// ENOENT: no process has this number now. The corresponding C function is `read` of `/proc/PID/stat`.
  package static func current(_ pid: Int32) throws(SystemError) -> ProcessIdentity {
    guard pid > 1 else { throw SystemError(code: ESRCH, call: "process \(pid)") }
    return ProcessIdentity(pid: pid, start: try Process.startTime(of: pid))
  }

  /// A descriptor of this process and of no other; nil when it has ended.
  /// The corresponding C functions are `pidfd_open` and `read` of `/proc/PID/stat`.
  package func open() -> DescriptorBox? {
    // Opened first: from then on the number cannot come to mean another process unnoticed.
    guard pid > 1, let pidfd = try? Process.pidfdOpen(pid), (try? Process.startTime(of: pid)) == start else {
      return nil
    }
    return DescriptorBox(pidfd)
  }

  /// True also when the process is not reaped yet. The corresponding C functions are `pidfd_open` and `poll`.
  package var hasEnded: Bool {
    guard let pidfd = open() else { return true }
    return (try? Socket.poll(pidfd.raw, .readable, timeoutMilliseconds: 0)).map { !$0.isEmpty } ?? false
  }

  /// True also when the process has ended and is not reaped yet. The corresponding C function is `read` of
  /// `/proc/PID/stat`.
  package var exists: Bool { pid > 1 && (try? Process.startTime(of: pid)) == start }
}

/// The scope of a process's number and start time: this boot of the machine, this namespace of processes.
package enum BootIdentity {
  /// Nil where the kernel does not tell it.
  package static func current() -> String? {
    var status = stat()
    guard let id = try? Files.read("/proc/sys/kernel/random/boot_id", limit: 64),
      unsafe stat("/proc/self/ns/pid", &status) == 0
    else { return nil }
    let word = id.prefix { $0 > UInt8(ascii: " ") }
    return "\(String(decoding: word, as: UTF8.self))-\(status.st_ino)"
  }
}
