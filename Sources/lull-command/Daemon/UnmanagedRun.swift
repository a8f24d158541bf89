import LullChannel
import LullSystem

/// A command that runs on after its daemon and the daemon's guard were killed. It does not sleep any more;
/// `lull run` goes on passing signals to it and waits for its end.
struct UnmanagedRun: ~Copyable {
  /// The time between the end and the moment when its status is known, in nanoseconds.
  private static let patience: Int64 = 1_000_000_000

  private let name: String
  private let pid: Int32
  private let pidfd: DescriptorBox

  /// Nil when the process ended before it could be opened.
  init?(name: String, pid: Int32, pidfd: DescriptorBox?) {
    guard let pidfd else { return nil }
    (self.name, self.pid, self.pidfd) = (name, pid, pidfd)
  }

  /// Waits for the command's end; returns the status to exit with. `unsent` is a signal that the daemon did
  /// not take any more.
  func waitForEnd(_ signals: borrowing ForwardedSignals, unsent: Int32?) throws(Failure) -> Int32 {
    if !hasEnded {
      Output.complain("the daemon is gone; \(name) (pid \(pid)) runs on without it and does not sleep")
    }
    if let unsent { pass(unsent) }
    do {
      let reactor = try Reactor<Void>()
      for raw in [pidfd.raw, signals.raw] { _ = try reactor.add(raw, .readable, as: ()) }
      while !hasEnded {
        try reactor.wait()
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

  /// Passes a signal on, only while the first process has not ended: the group's number is then still its
  /// own.
  private func pass(_ signal: Int32) {
    guard !hasEnded else { return }
    if signal == Signal.terminalStop {
      try? Process.kill(Identity.pid(), Signal.stop)
    } else {
      try? Process.signal(group: pid, signal)
    }
  }

  /// The exit status, which the kernel tells once the new parent has taken it.
  private func status() throws(Failure) -> Int32 {
    let deadline = Clock.boottime() + Self.patience
    while Clock.boottime() < deadline {
      let status: ExitStatus?
      do { status = try Process.exitStatus(pidfd.raw) } catch { break }
      switch status {
      case .exited(let code): return code
      case .signaled(let signal): return 128 + signal
      case .unknown, nil: Daemon.pause()
      }
    }
    throw .failed("\(name) ended; its exit status is not known, because the daemon is gone")
  }
}
