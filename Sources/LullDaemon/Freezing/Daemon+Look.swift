import LullEngine
import LullSystem

extension Daemon {
  /// What there is no time for follows in the next turn.
  func continueLook(at id: AppID) {
    guard let look = freezer.looks(id), let program = program(id) else { return }
    var isComplete = true
    do {
      let limit = Clock.boottime() + engine.policy.lookTime.nanoseconds
      isComplete = try look.advance(program.suspender, until: limit)
    } catch {
      // Without ptrace rights nothing is seen before the freeze either.
      if !error.isNotPermitted { journal.noteUnexpected(error, except: .gone) }
    }
    if isComplete { freeze(program, after: look) } else { freezer.putOff(id, look.ticket) }
  }

  func seen(_ look: ProgramLook, _ program: Program) -> Look {
    var seen = Look()
    seen.activity = look.activity
    seen.used = care.times.looked(program.id, program.suspender).map(clock.interval)
    seen.cost = clock.interval(look.processorTime)
    return seen
  }
}
