import LullChannel
import LullEngine
import LullSystem
import LullWire

// lull-guard: programs go to its owner, and its outcomes go to the other owners.
extension Daemon {
  func guardianSpoke() {
    guardianship.receive(into: &receiveBuffer)
    while let outcomes = guardianship.next() { carryOut(outcomes) }
  }

  func carryOut(_ outcomes: [GuardOutcome]) {
    for outcome in outcomes { carryOut(outcome) }
  }

  private func carryOut(_ outcome: GuardOutcome) {
    switch outcome {
    case .keep(let notification): restore(notification)
    case .keepLine(let line, let descriptor): restore(line, descriptor)
    case .remember(let program): installedMemory.remember(program)
    case .restore(let program):
      restore(program)
      guardianship.tell(.restored, program.name)
    case .full(let name): full(name)
    case .store(let name):
      guard let program = programs.first(where: { $0.name == name }),
        let registration = engine.registration(of: program.id)
      else { return }
      store(program, registration)
    case .wakeSleepers: wakeSleepers()
    case .storeAll: guardianship.tellAnew { storeAll() }
    case .launch:
      signals.pollApart()
      carryOut(guardianship.launch())
    case .replaced: carryOut(upgrade.guardReplaced())
    case .unchanged(let reason): carryOut(upgrade.guardStays(reason))
    case .endedAsReplacement: carryOut(upgrade.guardFails("lull-guard ended while it became the new one"))
    case .sound(let way): sound.inherit(way)
    case .release(let leave): journal.ignoring(.closed, try FormerDaemon.release(leave))
    case .launched(let pid): suspenders.guardReplaced(by: pid)
    }
  }

  /// Has lull-guard keep a program, as it is now, for the next lulld.
  func store(_ program: Program, _ registration: Registration) {
    remarks.set(.guardianship, of: program.id, nil)
    let askedAt = host.engine.askedToEnd(of: program.id).map(clock.boottime(at:))
    let kept = KeptProgram(
      program, registration, ending: .init(reason: host.engine.ending(of: program.id), askedAt: askedAt))
    guardianship.store(kept.adding(to: Message(.store)), program.pidfd)
  }

  /// Has lull-guard know that somebody has asked for the end of a command: under the next lulld it is no
  /// crash, and is not asked for twice.
  func storeEnding(of id: AppID) {
    guard let program = program(id), program.isCommand, program.leaderStatus == nil,
      let registration = host.engine.registration(of: id)
    else { return }
    store(program, registration)
  }

  private func storeAll() {
    guardianship.tell(.anew)
    for program in programs where !program.isUnmanaged {
      guard let view = engine.program(program.id, at: now) else { continue }
      store(program, view.registration)
    }
    for notification in engine.keptNotifications { tellGuard(notification) }
    tellGuardOfAllLines()
    installedMemory.tellAnew()
  }

  private func full(_ name: String) {
    guard let program = programs.first(where: { $0.name == name }) else { return }
    remarks.set(
      .guardianship, of: program.id,
      "not managed on if lulld dies: lull-guard has no descriptor left for it")
  }

  /// A child has ended or was stopped: a guard that this process started, lull-audio or
  /// lull-notify.
  func childrenChanged() {
    guardianship.childrenChanged()
    sound.childrenChanged()
    presenter.childrenChanged()
    notifyHook.childrenChanged()
    launches.childrenChanged()
  }
}
