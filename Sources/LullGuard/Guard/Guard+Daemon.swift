import LullChannel
import LullEngine
import LullSystem
import LullWire

extension Guard {
  func start() throws(SystemError) {
    let link = try child.start(program.request)
    lines.restore(over: link)
    if let (message, way) = sound { link.tell(message, descriptor: way) }
    sound = nil
    link.tell(Message(.begin))
  }

  func startAgain() {
    do {
      try start()
    } catch {
      let wait = program.failed()
      report("cannot be started (\(error))", wait)
      timers.schedule(.start, after: wait)
    }
  }

  func childEnded() {
    guard child.isRunning, !isOver else { return }
    guard !isBesidePredecessor else { return leaveToPredecessor() }
    letGo()
    // Its last messages are read before it is forgotten.
    while hear() {}
    childrenChanged()
    goOn(after: child.end())
  }

  private func letGo() {
    frozen.thawAll(forgetting: true)
    // This process still holds the lock: whoever finds it stopped must find its number in the record.
    frozen.beginRecord()
  }

  private func goOn(after life: Int64) {
    timers.clear()
    guard !isOver else { return }
    guard !isStopping, child.status != .exited(0) else { return leave() }
    guard !child.isGivingWay else {
      program.gaveWay()
      return startAgain()
    }
    if child.hasCrashed { lines.daemonDied(after: life, policy) }
    // A daemon that hung has lived for the alarm's time at least, and did nothing in it.
    let wait = program.died(after: child.hasHung ? 0 : life, crashed: child.hasCrashed)
    report(child.ending, wait)
    if wait == 0 { startAgain() } else { timers.schedule(.start, after: wait) }
  }

  private func report(_ how: String, _ wait: Int64) {
    let when = wait == 0 ? "now" : "in \(Double(wait / 1_000_000) / 1000) s"
    StandardError.say("lull-guard: lulld \(how); every program runs; starting it again \(when)")
  }

  /// Takes the status of children: lulld's own, and those that a dead lulld has left to this process.
  func childrenChanged() {
    if child.hasStopped() { childStopped() }
    while let (pid, status) = StandardErrorLog.guardian.ignoring([], try Process.reapAny()) ?? nil {
      child.reaped(pid, status)
    }
  }

  /// Continues a lulld that was stopped, with every program running. It is never killed for that alone:
  /// somebody may be debugging it.
  func childStopped() {
    frozen.thawAll()
    let wait = child.waitAfterStop()
    if wait == 0 { child.proceed() } else { timers.schedule(.proceed, after: wait) }
  }
}

// Two guards of one lulld, in an upgrade: until the predecessor has left, it alone goes on after a death of
// lulld, or both would start one.
extension Guard {
  /// lulld ended while the predecessor lives. That guard goes on unless it was told to leave: it is told so
  /// after this one was told everything, and leaves as soon as it has read it.
  private func leaveToPredecessor() {
    while hear() {}
    guard isTold else { return end(1) }
    lifeBesidePredecessor = child.end()
    timers.clear()
    timers.schedule(.yield, after: policy.daemonYield.nanoseconds)
  }

  func predecessorEnded() {
    dismissPredecessor()
    guard !child.isRunning, !isOver else { return }
    letGo()
    goOn(after: lifeBesidePredecessor)
  }

  /// Leaves lulld to its other guard: two must not guard it.
  func yield() {
    guard isBesidePredecessor || child.isRunning && !child.isLinked && !child.isEnding else { return }
    StandardError.say("lull-guard: the link to lulld is lost; lulld has another guard")
    end(1)
  }
}

extension Guard {
  /// Everything is thawed first, whatever state lulld is in.
  func stop() {
    guard !isStopping else { return }
    guard !isBesidePredecessor else { return end(1) }
    frozen.thawAll()
    guard child.isRunning else { return leave() }
    child.send(Signal.terminate)
    child.send(Signal.continue)
    // The time of lulld begins when everything is thawed, which may take a while.
    expectEnd()
  }

  private func leave() {
    StandardErrorLog.guardian.ignoring(.removed, try Files.unlink(socketPath))
    handOver()
    // Programs that run stay in their cgroups: the next lulld finds them there.
    frozen.thawAll(forgetting: true)
    end(0)
  }
}
