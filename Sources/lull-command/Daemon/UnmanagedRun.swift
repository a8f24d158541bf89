import LullSystem

/// A command that runs on although its daemon and the guard of that were killed. It does not sleep any more;
/// `lull run` goes on passing signals to it and waits for its end.
struct UnmanagedRun: ~Copyable {
  /// How long the end may be known before its status is, in nanoseconds.
  private static let patience: Int64 = 1_000_000_000

  private let name: String
  private let pid: Int32
  private let pidfd: DescriptorBox

  /// nil when nothing is known of the process: it has ended before it could be looked at.
  init?(name: String, pid: Int32, pidfd: DescriptorBox?) {
    guard let pidfd else { return nil }
    (self.name, self.pid, self.pidfd) = (name, pid, pidfd)
  }

  /// Waits; returns the status to exit with. `unsent` is a signal that the daemon did not take any more.
  func waitForEnd(_ signals: borrowing ForwardedSignals, unsent: Int32?) throws(Failure) -> Int32 {
    if !hasEnded {
      Output.complain("the daemon is gone; \(name) (pid \(pid)) runs on without it and does not sleep")
    }
    if let unsent { pass(unsent) }
    do {
      while !hasEnded {
        var entries = [PollEntry(pidfd.raw, .readable), PollEntry(signals.raw, .readable)]
        try Socket.pollMany(&entries, timeoutMilliseconds: -1)
        while let signal = try signals.next() { pass(signal) }
      }
    } catch let failure as Failure {
      throw failure
    } catch {
      throw .failed("cannot wait for \(name): \(error)")
    }
    return try status()
  }

  private var hasEnded: Bool {
    (try? Socket.poll(pidfd.raw, .readable, timeoutMilliseconds: 0)).map { !$0.isEmpty } ?? true
  }

  /// Its first process has not ended, so that the group's number is still its own.
  private func pass(_ signal: Int32) {
    guard !hasEnded else { return }
    if signal == Signal.terminalStop {
      try? Process.kill(Identity.pid(), Signal.stop)
    } else {
      try? Process.signal(group: pid, signal)
    }
  }

  /// The kernel tells it when the new parent has taken it.
  private func status() throws(Failure) -> Int32 {
    let deadline = Clock.boottime() + Self.patience
    while Clock.boottime() < deadline {
      let status: ExitStatus?
      do { status = try Process.exitStatus(pidfd.raw) } catch { break }
      switch status {
      case .exited(let code): return code
      case .signaled(let signal): return 128 + signal
      case nil: Daemon.pause()
      }
    }
    throw .failed("\(name) ended; its exit status is not known, because the daemon is gone")
  }
}
