import LullSystem
import LullWire

/// Ends the daemon, and waits until both of its processes have ended.
enum DaemonStop {
  /// The time that both processes may take, beyond that of the programs, in nanoseconds.
  private static let patience: Int64 = 10_000_000_000

  private struct Watched {
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
  }

  /// Throws `noDaemon` when none runs.
  static func stop(withPrograms endsPrograms: Bool) throws(Failure) {
    let ok = try Daemon.ask(.stopDaemon(programs: endsPrograms)).ok
    let processes: [Watched]
    let time: Double
    do throws(WireError) {
      let keeper = try ok.integer(ifPresent: .guardPid).map { Watched("lull-guard", $0) }
      processes = [Watched("lulld", try ok.integer(.pid))] + (keeper.map { [$0] } ?? [])
      time = try ok.number(ifPresent: .remainingSeconds) ?? 0
    } catch {
      throw .unreadable(error)
    }
    let deadline = Clock.boottime() + Int64(time * 1e9) + patience
    for process in processes { try wait(for: process, until: deadline) }
  }

  private static func wait(for process: Watched, until deadline: Int64) throws(Failure) {
    guard let pidfd = process.pidfd else { return }
    do throws(SystemError) {
      while true {
        let left = deadline - Clock.boottime()
        let milliseconds = Int32(clamping: max(0, left) / 1_000_000)
        if try !Socket.poll(pidfd.raw, .readable, timeoutMilliseconds: milliseconds).isEmpty { return }
        guard left > 0 else { break }
      }
    } catch {
      throw .failed("cannot wait for \(process.name) (process \(process.pid)): \(error)")
    }
    throw .failed(
      "\(process.name) (process \(process.pid)) was asked to end and has not; see \"lull doctor\"")
  }
}
