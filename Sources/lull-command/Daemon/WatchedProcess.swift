import LullSystem

struct WatchedProcess {
  let name: String
  let pid: Int64
  /// Readable when the process has ended; nil when it has ended already.
  let pidfd: DescriptorBox?

  init(_ name: String, _ pid: Int64) {
    (self.name, self.pid) = (name, pid)
    if let number = Int32(exactly: pid), let opened = try? Process.pidfdOpen(number) {
      pidfd = DescriptorBox(opened)
    } else {
      pidfd = nil
    }
  }

  var runsOn: Bool { (try? hasEnded(by: 0)) == false }

  /// `deadline` is in nanoseconds of CLOCK_BOOTTIME.
  func hasEnded(by deadline: Int64) throws(Failure) -> Bool {
    guard let pidfd else { return true }
    do throws(SystemError) {
      for step in DaemonWait.Steps(until: deadline) {
        let milliseconds = Int32(clamping: (max(0, step - Clock.boottime()) + 999_999) / 1_000_000)
        if try !Socket.poll(pidfd.raw, .readable, timeoutMilliseconds: milliseconds).isEmpty { return true }
      }
      return false
    } catch {
      throw .failed("cannot wait for \(name) (process \(pid)): \(error)")
    }
  }
}
