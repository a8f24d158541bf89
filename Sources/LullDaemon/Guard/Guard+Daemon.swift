import LullEngine
import LullSystem
import LullWire

// The life of lulld.
extension Guard {
  func start() throws(SystemError) {
    forgetFormer()
    let link = try child.start(program.request(follows: former != nil))
    store.restore(over: link, with: notifications, lines, installed, leave: former?.leave)
  }

  func startAgain() {
    do {
      try start()
    } catch {
      returnToFormer()
      let wait = program.failed()
      report("cannot be started (\(error))", wait, left: nil)
      chores.schedule(.start, after: wait)
    }
  }

  /// Takes note that lulld ended. Everything is thawed first; lulld's last messages are read before it is
  /// forgotten.
  func childEnded() {
    guard let process = child.process else { return }
    frozen.thawAll(forgetting: true)
    // This process still holds the lock: whoever finds it stopped must find its number in the record.
    frozen.beginRecord()
    while hear() {}
    childrenChanged()
    // Its last word may have been that it gives way: then the next one runs already.
    guard child.process?.pid == process.pid else { return }
    let life = child.end()
    returnToFormer()
    chores.clear()
    guard !isStopping, child.status != .exited(0) else { return leave() }
    if former != nil { chores.schedule(.kill, after: policy.upgradeEnding.nanoseconds) }
    // A daemon that exits by itself could not start: that is no program's fault.
    let left = child.hasCrashed ? store.daemonDied(after: life) : nil
    if child.hasCrashed {
      notifications.daemonDied(after: life, policy)
      lines.daemonDied(after: life, policy)
      installed.daemonDied(after: life, policy)
    }
    // A daemon that hung has lived for the alarm's time at least, and did nothing in it.
    let wait = program.ended(after: child.hasHung ? 0 : life)
    report(child.ending, wait, left: left)
    if wait == 0 { startAgain() } else { chores.schedule(.start, after: wait) }
  }

  private func report(_ how: String, _ wait: Int64, left: String?) {
    let when = wait == 0 ? "now" : "in \(Double(wait / 1_000_000) / 1000) s"
    var text = "lull-guard: lulld \(how); every program runs; starting it again \(when)"
    if let left { text += "; \(left) is left running: lulld died of it \(policy.maximumDeaths) times" }
    StandardError.say(text)
  }

  /// Takes the status of children: lulld's own, and those that a dead lulld has left to this process.
  func childrenChanged() {
    if child.hasStopped() { childStopped() }
    while let (pid, status) = Self.log.ignoring([], try Process.reapAny()) ?? nil {
      child.reaped(pid, status)
    }
  }

  /// Continues a lulld that was stopped, with every program running. It is never killed for that alone:
  /// somebody may be debugging it.
  func childStopped() {
    frozen.thawAll()
    let wait = child.waitAfterStop()
    if wait == 0 { child.proceed() } else { chores.schedule(.proceed, after: wait) }
  }
}

// The end of the guard.
extension Guard {
  /// Ends the pair. Everything is thawed first, whatever state lulld is in.
  func stop() {
    guard !isStopping else { return }
    frozen.thawAll()
    guard child.isRunning else { return leave() }
    child.send(Signal.terminate)
    child.send(Signal.continue)
    // The time of lulld begins when everything is thawed, which may take a while.
    expectEnd()
  }

  /// Leaves a lulld that lives without a link: it has started another guard, and two must not guard it.
  func yield() {
    guard child.isRunning, !child.isLinked else { return }
    StandardError.say("lull-guard: the link to lulld is lost; lulld has another guard")
    end(1)
  }

  private func leave() {
    dismissFormer()
    Self.log.ignoring(.removed, try Files.unlink(socketPath))
    frozen.leave(handingOver: handOver())
    end(0)
  }
}
