import LullWire

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
    case .keepLine(let line, let descriptor): restore(line, descriptor)
    case .sound(let way, let pid): sound.inherit(way, pid: pid)
    case .wakeSleepers: wakeSleepers()
    case .storeAll:
      guardianship.tellAnew {
        guardianship.tell(.anew)
        tellGuardOfAllLines()
      }
    case .launch:
      signals.pollApart()
      carryOut(guardianship.launch())
    case .launched(let pid): suspenders.guardReplaced(by: pid)
    case .replaced: guardReplaced()
    case .unchanged(let reason): guardStays(reason)
    }
  }

  func childrenChanged() {
    guardianship.childrenChanged()
    sound.childrenChanged()
    presenter.childrenChanged()
    notifyHook.childrenChanged()
  }
}
