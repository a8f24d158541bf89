import LullEngine
import LullSystem
import LullWire

extension Daemon {
  /// The client is answered at once and waits for the end of this process and its guard.
  func stopDaemon(withPrograms endsPrograms: Bool) -> Reply {
    ending.begin(withPrograms: endsPrograms)
    return .ok(
      Message(.ok).adding(.pid, Identity.pid()).adding(.guardPid, guardianship.pid)
        .adding(.remainingSeconds, endsPrograms ? policy.terminateLimit.seconds : nil))
  }

  /// A program that is asked to end here was not quit by anybody.
  func advanceEnding() {
    for _ in 0..<DaemonEnding.step {
      guard let slot = ending.nextSlot else { break }
      guard let program = programs.first(fromSlot: slot) else {
        ending.allAsked(killedAt: clock.boottime(at: now + policy.terminateLimit))
        break
      }
      ending.asked(slot: Int(program.id.slot))
      guard !program.isUnmanaged else { continue }
      program.stopsWithDaemon()
      _ = ask(.transition(program.id, .quit))
    }
    ending.advance(
      hasPrograms: programs.contains { !$0.isUnmanaged } || !awaited.isEmpty,
      isStarting: lifecycle.reservations.deadline != nil
        || kept.lines.areToBeTaken { engine.isLeftToOthers($0, at: now) })
  }
}
