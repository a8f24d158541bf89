import LullEngine
import LullInspect
import LullSystem

// A command is woken by what it waits for. An observation reads the wait of every thread and takes its
// source.
extension ObservationBuilder {
  func begin() {
    observation.isAsking = program.isAsking
    do {
      let pids = try program.suspender.processes()
      guard pids.count <= services.policy.maximumProcesses else {
        observation.obstacle = .tooManyProcesses(pids.count)
        return stop()
      }
      if memory.waits.count > 2 * pids.count {
        memory.waits = memory.waits.filter { pids.contains($0.key) }
        memory.raising = memory.raising.filter { pids.contains($0.key) }
      }
      for pid in pids { try add(pid) }
      for process in processes where program.sleepsByItself {
        add(.listRaising(process))
        if case .signal = program.suspender { try addSteps(of: process) { .rings(process, $0) } }
      }
    } catch {
      observation.obstacle = services.obstacle(error)
    }
  }

  private func add(_ pid: Int32) throws(SystemError) {
    if pid == program.pid, program.hasLeader {
      return add(ObservationBuilder.Process(pid: pid, pidfd: program.pidfd, isOwn: false))
    }
    do {
      add(
        ObservationBuilder.Process(
          pid: pid, pidfd: DescriptorBox(try LullSystem.Process.pidfdOpen(pid)), isOwn: true))
    } catch {
      // The process was killed after the list of processes was read.
      guard error.isNoSuchProcess else { throw error }
    }
  }

  func advance(until limit: Int64) -> Observer.Outcome {
    repeat {
      do {
        while let step = next {
          guard Clock.boottime() < limit else { return .unfinished }
          advance()
          if let outcome = try perform(step) { return outcome }
        }
      } catch {
        observation.obstacle = services.obstacle(error)
        stop()
      }
    } while beginNextStage()
    return .seen
  }

  /// Returns false when the observation is complete.
  private func beginNextStage() -> Bool {
    guard stage == .taking, !isStopped else {
      stage = .seen
      return false
    }
    stage = .gathering
    beginGathering()
    return true
  }

  private func perform(_ step: Step) throws(SystemError) -> Observer.Outcome? {
    switch step {
    case .waits(let process): try readWaits(of: process)
    case .threads(let process, let threads):
      guard let busy = try LullSystem.Process.inspect(threads) else { return nil }
      observation.threads.append(ObservedThread(process: process.pid, thread: busy, wait: .works))
      stop()
    case .set(let process, let number): return try observeSet(process, number)
    case .descriptor(let process, let number, let interest, let role):
      try take(number, of: process, interest: interest, role: role, inode: nil)
    case .member(let process, let member, let set): try take(member, of: set, process)
    case .list(let process): try list(process)
    case .listRaising(let process): try listRaising(process)
    case .raising(let process, let numbers): try takeRaising(numbers, of: process)
    case .rings(let process, let numbers):
      if numbers.contains(where: { kind(of: $0, in: process.pid) == .ring }) { refuse(.stoppedRing, process) }
    case .ends, .settle, .attach, .dropLost, .poll, .pollSets, .tell, .children, .finish:
      return gather(step)
    }
    return nil
  }

  func letGo() {
    for entry in entries where !entry.isAttached {
      services.releases.add(entry.duplicate)
    }
    for set in sets where set.line == nil { services.releases.add(set.duplicate) }
    for pidfd in watched { services.releases.add(pidfd) }
  }
}
