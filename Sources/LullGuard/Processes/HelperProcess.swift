package import LullSystem

/// Another process that this one supervises: lulld, lull-guard, or one that they need, such as lull-audio.
package struct HelperProcess {
  package let pid: Int32
  package let pidfd: DescriptorBox

  package init(pid: Int32, pidfd: DescriptorBox) { (self.pid, self.pidfd) = (pid, pidfd) }

  /// `execStatus` tells whether the program could be executed.
  package static func spawn(_ request: SpawnRequest) throws(SystemError) -> (
    process: HelperProcess, execStatus: DescriptorBox
  ) {
    let spawned = try Process.spawn(request)
    let pid = spawned.pid
    let (pidfd, execStatus) = spawned.boxes()
    return (HelperProcess(pid: pid, pidfd: pidfd), execStatus)
  }

  /// Waits until the program is executed; throws why it cannot be.
  package static func launch(
    _ request: SpawnRequest, waitingAtMost milliseconds: Int32 = 1000
  ) throws(SystemError) -> HelperProcess {
    let (process, execStatus) = try spawn(request)
    _ = try Socket.poll(execStatus.raw, .readable, timeoutMilliseconds: milliseconds)
    if case .failed(let error) = try Process.execResult(execStatus.raw) { throw error }
    return process
  }

  package func send(_ signal: Int32) throws(SystemError) { try Process.sendSignal(pidfd.raw, signal) }

  /// True once for each stop by a signal. Throws ECHILD when the process is no child of this one.
  package func hasStopped() throws(SystemError) -> Bool { try Process.hasStopped(pidfd.raw) }

  /// The stop of the process must not hold up the programs that depend on it. Throws ECHILD when it is no
  /// child of this one.
  package func continueIfStopped() throws(SystemError) { if try hasStopped() { try send(Signal.continue) } }

  /// True when the process has ended. Throws ECHILD when there is no status left to take.
  package func reap() throws(SystemError) -> Bool { try Process.waitStatus(pidfd.raw) != nil }
}

/// Processes of Lull that have ended, or are about to, and whose status has not been taken.
package struct EndingHelpers {
  private var processes: [HelperProcess] = []

  package init() {}

  package mutating func add(_ process: HelperProcess) { processes.append(process) }

  package mutating func reap(_ log: some FailureLog) {
    var living: [HelperProcess] = []
    for process in processes where log.ignoring(.ended, try process.reap()) == false {
      living.append(process)
    }
    processes = living
  }
}
