import LullEngine
import LullSystem

// cgroup.events: the last process of a program, and a sleeper that somebody else thaws.
extension Daemon {
  /// Tells once when cgroup.events changes.
  func watchEvents(of program: Program, _ cgroup: Cgroup) throws(SystemError) {
    let interest: Interest = [.priority, .oneShot]
    do {
      try epoll.add(cgroup.events, token: program.token(.cgroup).raw, interest: interest)
    } catch {
      guard error.isExisting else { throw error }
      try epoll.modify(cgroup.events, token: program.token(.cgroup).raw, interest: interest)
    }
  }

  /// The news of the program's own freeze has mostly come by now: reading the file here saves a turn for it.
  /// It may also come 10 ms late.
  func watchForThaw(of program: Program) throws(SystemError) {
    guard case .cgroup(let cgroup) = program.suspender else { return }
    let isFrozen = try cgroup.state().frozen
    try watchEvents(of: program, cgroup)
    // What the read above has told is not told again.
    if !isFrozen { noteThaw(of: program, cgroup) }
  }

  /// Its own thaw is no news. A registration that is only disarmed tells errors, as which this file tells all.
  func unwatchForThaw(of program: Program) {
    guard case .cgroup(let cgroup) = program.suspender, !program.waitsForLastProcess else { return }
    try? epoll.remove(cgroup.events)
  }

  func cgroupChanged(_ token: Token) {
    guard let program = program(token), case .cgroup(let cgroup) = program.suspender else { return }
    if program.waitsForLastProcess { checkLastProcess(program, cgroup) }
    guard case .frozen = program.freezing, !program.isThawed else { return }
    do {
      // Read first: the watch tells what is newer than the last read.
      _ = try cgroup.state()
      try watchEvents(of: program, cgroup)
    } catch {
      // Its directory is gone, and its processes with it.
      return
    }
    noteThaw(of: program, cgroup)
    pump()
  }

  /// `frozen 0` alone is no thaw: a thread that was looked at, or that has just come, is not yet still again.
  /// Nor is the thaw of an ancestor, which leaves the program's own cgroup as it is.
  private func noteThaw(of program: Program, _ cgroup: Cgroup) {
    guard (try? cgroup.isFreezeAsked()) == false else { return }
    events.append(.unfrozen(program.id))
  }
}
