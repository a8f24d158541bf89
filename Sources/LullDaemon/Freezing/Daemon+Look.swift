import LullEngine
import LullSystem

// What a command waits for is what wakes it. A look reads how every thread waits and takes what it waits for;
// the engine judges, and the watch is armed when it says so.
extension Daemon {
  /// How long one step of a look may hold up the loop, in nanoseconds.
  private static var stepTime: Int64 { 1_000_000 }

  func beginLook(at program: Program, _ ticket: Ticket) {
    let look = Look(ticket)
    program.look = look
    guard let registration = engine.registration(of: program.id) else { return }
    // A program that was told to sleep need not be idle. One that hands its descriptors over has promised not
    // to read them any more.
    let isProved = registration.sleepsByItself || (program.mayTakeDescriptors && !program.lines.isEmpty)
    guard isProved else { return observed(program, look) }
    guard registration.sleepsByItself || !hasNews(program, look) else { return }
    look.observation.isAsking = isAsking(program)
    for line in program.lines { line.found?.role = nil }
    do {
      let pids = try program.suspender.processes()
      guard pids.count <= engine.policy.maximumProcesses else {
        look.observation.obstacle = .tooManyProcesses(pids.count)
        return observed(program, look)
      }
      if program.waits.count > 2 * pids.count {
        program.waits = program.waits.filter { pids.contains($0.key) }
      }
      for pid in pids { try add(pid, to: look, of: program) }
    } catch {
      look.observation.obstacle = obstacle(error)
    }
    continueLook(at: program)
  }

  private func add(_ pid: Int32, to look: Look, of program: Program) throws(SystemError) {
    if pid == program.pid, program.leaderStatus == nil {
      return look.add(Look.Process(pid: pid, pidfd: program.pidfd, isOwn: false))
    }
    do {
      look.add(Look.Process(pid: pid, pidfd: DescriptorBox(try Process.pidfdOpen(pid)), isOwn: true))
    } catch {
      // It was killed since the list of processes was read.
      guard error.isNoSuchProcess else { throw error }
    }
  }

  /// A process of the program has asked this daemon something and has no answer yet.
  private func isAsking(_ program: Program) -> Bool {
    program.connections.contains { $0.isWaiting || $0.report != nil || !$0.output.isEmpty }
  }

  /// Works off steps until they are done or have taken long enough; the rest follows in the next turn.
  func continueLook(at program: Program) {
    guard let look = program.look else { return }
    let (start, used) = (Clock.boottime(), Clock.processorTime())
    repeat {
      do {
        while let step = look.next, Clock.boottime() - start < Self.stepTime {
          look.advance()
          try perform(step, look, program)
          guard case .frozen = program.freezing, program.look === look else { return }
        }
      } catch {
        look.observation.obstacle = obstacle(error)
        look.stop()
      }
      guard look.next == nil else {
        look.cost += Clock.processorTime() - used
        return looks.append((program.id, look.ticket))
      }
    } while beginNextStage(of: look, program)
    look.cost += Clock.processorTime() - used
    if look.stage == .judged { observed(program, look) }
  }

  /// False when nothing more is to be done before the engine has spoken.
  private func beginNextStage(of look: Look, _ program: Program) -> Bool {
    switch look.stage {
    case .taking where !look.isStopped:
      look.stage = .gathering
      beginGathering(look, program)
      return true
    case .taking, .gathering:
      look.stage = .judged
      return false
    case .judged, .arming: return false
    }
  }

  private func perform(_ step: Look.Step, _ look: Look, _ program: Program) throws(SystemError) {
    switch step {
    case .waits(let process): try readWaits(of: process, look, program)
    case .threads(let process, let threads):
      guard let busy = try Process.look(at: threads) else { return }
      look.observation.threads.append(
        ObservedThread(process: process.pid, thread: busy, wait: .works))
      look.stop()
    case .set(let process, let number): try lookAtSet(process, number, look, program)
    case .descriptor(let process, let number, let interest, let role):
      try take(number, of: process, interest, role, look, program, inode: nil)
    case .member(let process, let member, let set): try take(member, of: set, process, look, program)
    case .list(let process): try list(process, look, program)
    case .ends, .settle, .attach, .dropLost, .poll, .pollSets, .tell, .children, .finish:
      gather(step, look, program)
    case .arm, .pollOnce, .armed: arm(step, look, program)
    }
  }

  func obstacle(_ error: SystemError) -> Observation.Obstacle {
    if error.isTooMany { return .tooManyDescriptors(engine.policy.maximumDescriptors + 1) }
    guard error.isNotPermitted else { return .noDescriptor("\(error)") }
    return .noRights("\(error.message); lulld needs ptrace rights over all its processes")
  }

  /// Hands over what was seen. The engine answers with `.watch`, or takes the freeze back.
  private func observed(_ program: Program, _ look: Look) {
    look.stage = .judged
    look.observation.cost = clock.interval(look.cost)
    events.append(.observed(program.id, look.ticket, look.observation))
  }
}
