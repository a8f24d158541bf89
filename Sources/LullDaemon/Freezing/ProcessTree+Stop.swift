import LullSystem

extension ProcessTree {
  /// Stops parents first: a shell is not to see its jobs stop.
  func stop() throws(StopError) {
    do throws(SystemError) { try update() } catch { throw .system(error) }
    try checkCompleteness()
    // A process that somebody else has stopped is not this daemon's to continue.
    for member in members where !member.isStopped && !isStoppedElsewhere(member) {
      do throws(SystemError) {
        try table.note(member.identity)
        member.isStopped = true
        try member.send(Signal.stop)
      } catch {
        throw .notStopped(member.pid, error)
      }
    }
  }

  private func checkCompleteness() throws(StopError) {
    if case .lost = orphans { throw .orphansLost }
    if members.contains(where: { $0.pid == Identity.pid() }) { throw .holdsDaemon }
  }

  /// True when each process is stopped and no other one has appeared; new processes are sent SIGSTOP.
  func isStopped() throws(StopError) -> Bool {
    for member in members where !member.hasEnded {
      guard areThreadsStopped(member) else { return false }
    }
    try stop()
    return members.allSatisfy(areThreadsStopped)
  }

  private func isStoppedElsewhere(_ member: Member) -> Bool {
    table.log.ignoring(.gone, try Process.isStopped(member.pid)) == true
  }

  /// True also for a process that has ended.
  private func areThreadsStopped(_ member: Member) -> Bool {
    table.log.ignoring(.gone, try Process.areThreadsStopped(member.pid)) != false
  }

  /// Continues children first: a shell finds its jobs running.
  func proceed() throws(SystemError) {
    var failure: SystemError?
    for member in members.reversed() where member.isStopped {
      member.isStopped = false
      do { try member.send(Signal.continue) } catch { failure = error }
    }
    if let failure { throw failure }
  }

  /// The processes are stopped first, or a process that forks would leave a child behind.
  func kill() throws(SystemError) {
    for _ in 0..<16 {
      let count = members.count
      for member in members { table.log.ignoring([], try member.send(Signal.stop)) }
      try update()
      if members.count <= count { break }
    }
    for member in members { try member.send(Signal.kill) }
  }
}

extension ProcessTree.Member {
  var hasEnded: Bool {
    (try? Socket.poll(pidfd.raw, .readable, timeoutMilliseconds: 0)).map { !$0.isEmpty } ?? true
  }

  /// A process that has ended needs no signal.
  func send(_ signal: Int32) throws(SystemError) {
    do {
      try Process.sendSignal(pidfd.raw, signal)
    } catch {
      guard error.isNoSuchProcess else { throw error }
    }
  }
}
