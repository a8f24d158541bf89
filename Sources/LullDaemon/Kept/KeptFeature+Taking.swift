import LullEngine
import LullInspect
import LullSystem

// Commands that run with lines that they got back: the daemon looks, and the engine's rule tells whether they
// take them (`LineTaking`).
extension KeptFeature {
  /// A command that does not take its lines is asked to end, and is started once without them.
  func lookAtTakings() {
    for id in lines.dueForLook() {
      guard let program = program(id), program.parting == nil, program.leaderStatus == nil,
        let rules = program.command, engine.registration(of: id)?.speaks != true
      else {
        lines.stopLooking(at: id)
        continue
      }
      guard lines.saw(takingLook(at: program, rules), at: id) else { continue }
      program.parts(.leavingLines)
      _ = ask(.transition(id, .quit))
    }
  }

  private func takingLook(at program: Program, _ rules: CommandRules) -> TakingLook {
    var (look, isPermitted) = (TakingLook(), true)
    let (pids, end) = (pids(of: program), Clock.boottime() + engine.policy.keptLookLimit.nanoseconds)
    // A command that a signal has stopped has had no time to take anything.
    let isStopped = journal.ignoring(.gone, try Process.isStopped(program.pid)) ?? true
    if pids.isEmpty || (isStopped && !freezer.isFrozen(program.id)) { look.isIdle = false }
    for pid in pids where isPermitted {
      do throws(SystemError) {
        if try Process.activity(of: pid, until: end) != .waits { look.isIdle = false }
        let found = try Process.awaitedSockets(of: pid, limit: engine.policy.maximumDescriptors, until: end)
        look.awaitedInodes.formUnion(found.inodes)
        if !found.isWhole { look.isIdle = false }
      } catch {
        look.isIdle = false
        isPermitted = !error.isNotPermitted
        if isPermitted { journal.noteUnexpected(error, except: [.gone, .tooMany]) }
      }
    }
    guard isPermitted else { return look }
    look.sockets = CommandSockets(rules: rules, closer: services.closer, log: journal, takesAll: true)
      .copies(of: pids, atMost: engine.policy.keptLookSockets)
    return look
  }
}
