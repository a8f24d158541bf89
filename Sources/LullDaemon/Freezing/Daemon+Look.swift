import LullEngine
import LullInspect
import LullSystem

extension Daemon {
  /// Looks at a program before its freeze.
  func look(at program: Program) -> Look {
    let begin = Clock.processorTime()
    var look = Look()
    do {
      look.activity = try activity(of: program)
    } catch {
      // Without ptrace rights nothing is seen before the freeze either.
      if !error.isNotPermitted { journal.noteUnexpected(error, except: .gone) }
    }
    look.used = care.times.looked(program.id, program.suspender).map(clock.interval)
    look.cost = clock.interval(Clock.processorTime() - begin)
    return look
  }

  /// A call that a freeze would cut short in any process, or else the first work.
  private func activity(of program: Program) throws(SystemError) -> Look.Activity {
    let limit = Clock.boottime() + engine.policy.lookTime.nanoseconds
    var found = Look.Activity.waits
    for process in try program.suspender.processes() {
      switch try Process.activity(of: process, until: limit) {
      case .waits: continue
      case .narrow: return .unreadable(.narrow)
      case .moves(let thread, let call): return .moves(process: process, thread: thread, call: call)
      case .works(let thread):
        if found == .waits { found = .works(process: process, thread: thread) }
      }
      guard Clock.boottime() < limit else { break }
    }
    return found
  }
}
