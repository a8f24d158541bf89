package import LullSystem
package import LullWire

package enum DaemonLaunchError: Error, Equatable, CustomStringConvertible {
  case notFound
  case notStarted(program: String, SystemError)
  case failed(program: String, ExitStatus)
  case refused(String)
  case timedOut(program: String, milliseconds: Int32)

  /// The guard may have found a daemon that somebody else has just started.
  package var mayBeSecond: Bool {
    switch self {
    case .failed, .refused: true
    case .notFound, .notStarted, .timedOut: false
    }
  }

  package var description: String {
    switch self {
    case .notFound:
      "no daemon: lull-guard is neither beside this program nor in PATH (LULL_GUARD names its file)"
    case .notStarted(let program, let error): "no daemon: \(program): \(error)"
    case .refused(let reason): "no daemon: \(reason)"
    case .failed(let program, .exited(let status)): "no daemon: \(program) ended with status \(status)"
    case .failed(let program, .signaled(let signal)):
      "no daemon: \(program) was ended by \(Signal.name(of: signal))"
    case .failed(let program, .unknown): "no daemon: \(program) ended"
    case .timedOut(let program, let milliseconds):
      "no daemon: \(program) was not ready within \(milliseconds) ms"
    }
  }
}

package enum DaemonLauncher {
  package static let guardName = "lull-guard"
  /// Names the installed program for which the daemon is started.
  package static let wantedOption = "--wanted"
  /// The daemon takes back what runs, and starts nothing that is installed.
  package static let noBootOption = "--no-boot"
  package static let starterOption = "--started-by"

  /// Starts `lull-guard` in a session of its own and waits until its first process exits, which it does when
  /// the control socket accepts. The program is `$LULL_GUARD`, else the one beside this executable, else that
  /// in PATH. The installed program that is `wanted` is started for the user, while the others are started
  /// as at boot; a daemon that does not boot starts none of them. `starter` is what the daemon tells of its
  /// start. The corresponding C functions are `clone3`, `poll` and `waitid`.
  package static func start(
    wanted: String? = nil, boots: Bool = true, as starter: Vocabulary.Starter = .use
  ) throws(DaemonLaunchError) {
    let options =
      [starterOption, starter.rawValue] + (boots ? [] : [noBootOption])
      + (wanted.map { [wantedOption, $0] } ?? [])
    try start(program: program(), options: options, waitingAtMost: 5000)
  }

  private enum Outcome {
    case ready
    case notRun(SystemError)
    case ended(ExitStatus, words: String)
    case late
  }

  static func start(
    program: String, options: [String] = [], waitingAtMost milliseconds: Int32
  ) throws(DaemonLaunchError) {
    let outcome: Outcome
    do {
      outcome = try launch(program, options, waitingAtMost: milliseconds)
    } catch {
      throw .notStarted(program: program, error)
    }
    switch outcome {
    case .ready, .ended(.exited(0), _): return
    case .notRun(let error) where error.isNoSuchFile && program == guardName: throw .notFound
    case .notRun(let error): throw .notStarted(program: program, error)
    case .ended(let status, ""): throw .failed(program: program, status)
    case .ended(_, let words): throw .refused(words)
    case .late: throw .timedOut(program: program, milliseconds: milliseconds)
    }
  }

  private static func launch(
    _ program: String, _ options: [String], waitingAtMost milliseconds: Int32
  ) throws(SystemError) -> Outcome {
    let (own, other) = try UnixSocket.pair()
    let child = try spawn(program, options, errors: other)
    other.close()
    _ = try Socket.poll(child.execStatus.raw, .readable, timeoutMilliseconds: milliseconds)
    if case .failed(let error) = try Process.execResult(child.execStatus.raw) {
      end(child.pidfd.raw)
      return .notRun(error)
    }
    guard try !Socket.poll(child.pidfd.raw, .readable, timeoutMilliseconds: milliseconds).isEmpty else {
      end(child.pidfd.raw)
      return .late
    }
    do {
      let status = try Process.waitStatus(child.pidfd.raw)
      return status.map { .ended($0, words: lastLine(of: own)) } ?? .ready
    } catch {
      // A caller that ignores SIGCHLD gets no exit status; its attempt to connect will tell.
      guard error.isNoChild else { throw error }
      return .ready
    }
  }

  /// The last line that a program which has ended wrote, without the guard's name; empty when there is none.
  private static func lastLine(of output: DescriptorBox) -> String {
    var buffer = ReceiveBuffer(capacity: 4096)
    guard case .bytes = try? UnixSocket.receive(into: &buffer, from: output.raw) else { return "" }
    let lines = String(decoding: buffer.received, as: UTF8.self).split(separator: "\n")
    guard let line = lines.last.map({ String($0) }) else { return "" }
    let name = "\(guardName): "
    return line.hasPrefix(name) ? String(line.dropFirst(name.count)) : line
  }

  /// Ends a program that could not be run or came too late, and takes its status: no zombie stays in the
  /// caller. Every step can fail because the program has ended already, or because the caller ignores
  /// SIGCHLD.
  private static func end(_ pidfd: Int32) {
    try? Process.sendSignal(pidfd, Signal.terminate)
    if (try? Socket.poll(pidfd, .readable, timeoutMilliseconds: 500)) == [] {
      try? Process.sendSignal(pidfd, Signal.kill)
      _ = try? Socket.poll(pidfd, .readable, timeoutMilliseconds: 500)
    }
    _ = try? Process.waitStatus(pidfd)
  }

  private static func spawn(
    _ program: String, _ options: [String], errors: DescriptorBox
  ) throws(SystemError) -> Spawned {
    let null = try Files.openNull()
    var request = SpawnRequest([program, "--daemonize"] + options)
    request.standardInput = null.raw
    request.standardOutput = null.raw
    request.standardError = errors.raw
    request.group = .newSession
    return try Process.spawn(request)
  }

  /// A path, or the name that is looked for in PATH.
  package static func program() -> String {
    if let given = Identity.setting("LULL_GUARD") { return given }
    guard let beside = try? Process.sibling(guardName), Files.exists(beside) else { return guardName }
    return beside
  }
}
