internal import Glibc

extension Process {
  /// A signal ends the process, although it may not have ended yet: the signal waits for it, as for one that
  /// is frozen, or is acting. Only the first thread is looked at; false for a process that has ended. The
  /// corresponding C functions are `read` of `/proc/PID/task/PID/status` and of `/proc/PID/stat`.
  package static func isDying(_ pid: Int32) -> Bool {
    if let signals = try? ThreadSignals(of: pid, in: pid),
      signals.pending & ~signals.blocked & ~signals.ignored & ~signals.caught & ~harmless != 0
    {
      return true
    }
    let flags = (try? StatLine(of: "\(pid)"))?.number(9) ?? 0
    return flags & (exiting | dumpingCore | signaled) != 0
  }

  /// The signals that wait for a process that cannot take them now, as a frozen one, by number: those on
  /// which it or one of its threads will act. Empty for a process that has ended. The corresponding C
  /// function is `read` of `/proc/PID/task/TID/status`.
  package static func waitingSignals(of pid: Int32) -> [Int32] {
    var waiting: UInt64 = 0
    for thread in (try? NiceValue.threads(of: pid)) ?? [] {
      guard let signals = try? ThreadSignals(of: thread, in: pid) else { continue }
      waiting |= signals.pending & ~signals.ignored & ~(harmless & ~signals.caught)
    }
    return (Int32(1)...64).filter { waiting >> UInt64($0 - 1) & 1 == 1 }
  }

  /// By default they do nothing, or stop.
  private static var harmless: UInt64 {
    let signals = [SIGCHLD, SIGCONT, SIGURG, SIGWINCH, SIGSTOP, SIGTSTP, SIGTTIN, SIGTTOU]
    return signals.reduce(0) { $0 | 1 << UInt64($1 - 1) }
  }

  // The flags of include/linux/sched.h: PF_EXITING, PF_DUMPCORE, PF_SIGNALED.
  private static var exiting: UInt64 { 0x4 }
  private static var dumpingCore: UInt64 { 0x200 }
  private static var signaled: UInt64 { 0x400 }
}
