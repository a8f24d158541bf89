import LullEngine

extension World {
  /// The end of the run: peers and programs fall silent, everybody is woken, then quit. Afterwards nothing
  /// may be left: no frozen program, no freeze in the air, no managed program; no deadline and no
  /// notification but those that outlive their programs.
  func drain() throws(Violation) {
    isDraining = true
    for number in installed.sorted() { try uninstall(number) }
    for number in 0..<scenario.programs { try feed(.linesTaken(name(number))) }
    for number in 0..<scenario.programs { try startEnds(number) }
    for app in engine.programs { try ask(.transition(app, .wake)) }
    for program in programs where program.isAlive {
      try require(program.cell.freezer == .running, "program \(program.number) is still frozen after a wake")
    }
    for app in engine.programs { try ask(.transition(app, .quit)) }
    for program in programs where program.isAlive && program.registration.isUnmanaged {
      die(program, .exited(0))
    }
    let end = steps + 100_000
    let isBusy = try run(steps: end)
    try require(!isBusy, "the world does not come to rest")
    try require(engine.programs.isEmpty, "\(engine.programs.count) programs are left")
    // Those whose name another program had, and those that wait for their turn until these are over.
    for _ in 0..<scenario.programs {
      guard let next = (0..<scenario.programs).first(where: { engine.isOnItsWay(name($0)) }) else { break }
      try startEnds(next)
    }
    let waiting = engine.notifications.filter { $0.fires != nil }
    let due = waiting.compactMap(\.fires).min() ?? .never
    let isOver = engine.isMemoryShort || engine.deadline ?? .never == due
    try require(isOver, "a deadline is left")
    for program in programs where program.isAlive {
      try require(program.cell.freezer == .running, "program \(program.number) is left frozen")
    }
  }

  private func require(_ holds: Bool, _ what: @autoclosure () -> String) throws(Violation) {
    guard holds else { throw Violation(rule: "drain", what: what()) }
  }
}
