internal import CLinux
internal import Glibc

package enum Signal {
  package static let hangUp = SIGHUP
  package static let alarm = SIGALRM
  package static let interrupt = SIGINT
  package static let quit = SIGQUIT
  package static let kill = SIGKILL
  package static let user1 = SIGUSR1
  package static let user2 = SIGUSR2
  package static let pipe = SIGPIPE
  package static let terminate = SIGTERM
  package static let child = SIGCHLD
  package static let `continue` = SIGCONT
  package static let stop = SIGSTOP
  package static let terminalStop = SIGTSTP
  package static let fileSize = SIGXFSZ
  package static let terminalInput = SIGTTIN
  package static let terminalOutput = SIGTTOU
  /// The signals that stop a job of a terminal, and that SIGCONT drops when they wait.
  package static let stopping = [SIGTSTP, SIGTTIN, SIGTTOU]
  package static let io = SIGIO
  package static let urgent = SIGURG
  package static let windowChange = SIGWINCH

  /// Ignores a signal in this process; programs that it spawns get the default back.
  /// The corresponding C function is `sigaction(SIG_IGN)`.
  package static func ignore(_ number: Int32) throws(SystemError) {
    var action = sigaction()
    unsafe action.__sigaction_handler.sa_handler = SIG_IGN
    try systemCall("sigaction") { unsafe sigaction(number, &action, nil) }
  }

  /// For example "SIGTERM"; "signal 99" for a number without a name.
  /// The corresponding C function is `sigabbrev_np`.
  package static func name(of signal: Int32) -> String {
    guard let name = unsafe clinux_signal_name(signal) else { return "signal \(signal)" }
    return unsafe "SIG" + String(cString: name)
  }
}

extension Signal {
  /// The number of a signal that is given by its name, with or without SIG and in any case ("TERM",
  /// "sigterm", "RTMIN+3", "RTMAX-1"), or by its number; nil when there is no such signal. The corresponding
  /// C function is `sigabbrev_np`.
  package static func number(named text: String) -> Int32? {
    if let number = Int32(text) { return (1...last).contains(number) ? number : nil }
    let upper = text.uppercased()
    let word = upper.hasPrefix("SIG") ? String(upper.dropFirst(3)) : upper
    return realTime(word) ?? (1..<firstRealTime).first { name(of: $0) == "SIG" + word }
  }

  /// The kernel's last signal. The C library keeps the first two of the real-time signals for itself.
  private static var last: Int32 { 64 }
  private static var firstRealTime: Int32 { 34 }

  private static func realTime(_ word: String) -> Int32? {
    for (name, base) in [("RTMIN", firstRealTime), ("RTMAX", last)] where word.hasPrefix(name) {
      let rest = word.dropFirst(name.utf8.count)
      guard let offset = rest.isEmpty ? 0 : Int32(rest), abs(offset) <= last - firstRealTime else {
        return nil
      }
      let number = base + offset
      return number >= firstRealTime && number <= last ? number : nil
    }
    return nil
  }
}

package struct SignalArrival: Sendable {
  package let signal: Int32
  /// The process that sent it; 0 for the kernel.
  package let sender: Int32
  /// The kernel sent it, for a key of the terminal or for the terminal's end: the whole process group in the
  /// foreground has it then.
  package let isFromKernel: Bool
}

/// Signals as a descriptor: readable while one of them waits.
package struct SignalDescriptor: ~Copyable {
  private let descriptor: Descriptor

  /// Blocks the signals in this thread (and in those it starts) and collects them here instead.
  package init(blocking signals: [Int32]) throws(SystemError) {
    try Signal.block(signals)
    var set = Signal.set(of: signals)
    let flags = Int32(SFD_CLOEXEC | SFD_NONBLOCK)
    descriptor = try Descriptor(owning: systemCall("signalfd") { unsafe signalfd(-1, &set, flags) })
  }

  package var raw: Int32 { descriptor.raw }

  /// The next signal and the process that sent it, or nil when none waits. Equal signals may be merged into
  /// one. The corresponding C function is `read`.
  package func next() throws(SystemError) -> (signal: Int32, pid: Int32)? {
    try nextArrival().map { ($0.signal, $0.sender) }
  }

  /// Nil when no signal waits.
  package func nextArrival() throws(SystemError) -> SignalArrival? {
    var info = signalfd_siginfo()
    let own = descriptor.raw
    do {
      try systemCall("read") { unsafe read(own, &info, MemoryLayout<signalfd_siginfo>.size) }
    } catch {
      guard error.isWouldBlock else { throw error }
      return nil
    }
    let kernel: Int32 = 0x80  // SI_KERNEL
    return SignalArrival(
      signal: Int32(bitPattern: info.ssi_signo), sender: Int32(bitPattern: info.ssi_pid),
      isFromKernel: info.ssi_code == kernel)
  }
}

extension Signal {
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

package struct SignalMask: Sendable {
  let set: sigset_t

  package static func current() throws(SystemError) -> SignalMask {
    var set = sigset_t()
    let result = unsafe pthread_sigmask(SIG_BLOCK, nil, &set)
    guard result == 0 else { throw SystemError(code: result, call: "pthread_sigmask") }
    return SignalMask(set: set)
  }
}

extension Signal {
  /// Holds signals back from this thread: they wait, or are collected by a `SignalDescriptor`.
  /// The corresponding C function is `pthread_sigmask(SIG_BLOCK)`.
  package static func block(_ signals: [Int32]) throws(SystemError) {
    try changeMask(SIG_BLOCK, signals)
  }

  /// Lets signals act on this thread as they are set to act: a frozen process ends at once of a signal that
  /// it neither blocks nor handles, but notices a blocked signal only when it is thawed. The corresponding C
  /// function is `pthread_sigmask(SIG_UNBLOCK)`.
  package static func unblock(_ signals: [Int32]) throws(SystemError) {
    try changeMask(SIG_UNBLOCK, signals)
  }

  private static func changeMask(_ how: Int32, _ signals: [Int32]) throws(SystemError) {
    var set = set(of: signals)
    let result = unsafe pthread_sigmask(how, &set, nil)
    guard result == 0 else { throw SystemError(code: result, call: "pthread_sigmask") }
  }

  fileprivate static func set(of signals: [Int32]) -> sigset_t {
    var set = sigset_t()
    unsafe sigemptyset(&set)
    for signal in signals { unsafe sigaddset(&set, signal) }
    return set
  }
}
