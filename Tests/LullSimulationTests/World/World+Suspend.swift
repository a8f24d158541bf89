import LullEngine

extension World {
  /// The machine is suspended until the alarm resumes it, or somebody does. Nothing runs meanwhile, and no
  /// other timer fires.
  func suspend() throws(Violation) {
    guard !isDraining else { return }
    let somebody = now + chance.around(chance.pick([.seconds(30), .seconds(3000)]))
    let alarm = engine.alarm ?? .never
    let end = min(somebody, max(alarm, now))
    let time = end - now
    let running = programs.filter { $0.isAlive && $0.cell.runs }
    for program in running { program.waits.stop(at: now) }
    agenda.wait(time)
    takeTimerBack()
    now = end
    for program in running { program.waits.run(at: now) }
    for program in programs { program.cell.standStill(time) }
    plan(.suspend, after: chance.around(scenario.suspendPace ?? .seconds(1500)))
    try feed(.stoodStill(time))
    guard (engine.deadline ?? .never) <= now || alarm <= now else { return }
    isResumed = alarm <= now
    defer { isResumed = false }
    try feed(.tick)
  }
}
