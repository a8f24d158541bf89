internal import CLinux
internal import Glibc

extension Signal {
  package static let alarm = SIGALRM

  /// The signals that end a process by default and that somebody sends: not those of the program's own faults
  /// (SIGSEGV, SIGABRT and the like), not SIGKILL, which cannot be caught, and not SIGPIPE and SIGXFSZ, which
  /// a system call reports as well.
  package static var ending: [Int32] {
    let named = [
      SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGUSR1, SIGUSR2, SIGALRM, SIGVTALRM, SIGPROF, SIGXCPU, SIGPOLL,
      SIGPWR, SIGSTKFLT,
    ]
    // The first two of the real-time signals are the C library's own.
    return named + Array(34...64)
  }

  package static func isFault(_ number: Int32) -> Bool {
    [SIGILL, SIGTRAP, SIGABRT, SIGBUS, SIGFPE, SIGSEGV, SIGSYS].contains(number)
  }

  /// The signals that mean "stop in good order": all that would end the process. Signals that the starter set
  /// to be ignored (`nohup`, a script's `&`) stay ignored.
  package static func endingHere() -> [Int32] {
    let chosen = [SIGHUP, SIGINT, SIGQUIT]
    return ending.filter { !chosen.contains($0) || !isIgnored($0) }
  }

  /// The signals that only stop a job of a terminal, or that tell what a system call reports as well.
  package static var needless: [Int32] { [SIGTSTP, SIGTTIN, SIGTTOU, SIGPIPE, SIGXFSZ] }

  package static func isIgnored(_ number: Int32) -> Bool { clinux_ignores_signal(number) == 1 }
}
