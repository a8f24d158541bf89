import LullEngine

/// "What comes and goes wakes the programs that want it, all of it in one wake": a second after the last of
/// it, or ten after the first, and nobody else.
final class AccessoriesWake: Rule {
  static let name = "accessories-wake"
  private(set) var sightings = 0
  private var devices: [Accessory?] = []
  private var since: Moment?
  private var due: Moment?
  /// What is told in this step, and who was woken for it.
  private var told: [Accessory?]?
  private var woken: Set<AppID> = []
  private var sleepers: Set<AppID> = []

  func event(_ event: Event?, _ ledger: Ledger) throws(Violation) {
    guard case .accessory(let device) = event else { return }
    let (now, policy) = (ledger.now, ledger.policy)
    since = since ?? now
    due = min(now + policy.accessoryQuiet, (since ?? now) + policy.accessoryLimit)
    devices.append(device)
  }

  func effect(_ effect: Effect, _ ledger: Ledger) throws(Violation) {
    switch effect {
    case .note(nil, .accessories):
      try require(due.map { $0 <= ledger.now } ?? false, "accessories are told before their time")
      (told, devices, since, due, woken) = (devices, [], nil, nil, [])
      sleepers = Set(ledger.records.compactMap { $0 }.filter(isAsleep).map(\.id))
    case .woke(let app, let wake, _) where wake.reason == .accessory && wake.line == nil:
      guard let record = ledger[app], let told else {
        return try require(false, "\(app) is woken for nothing")
      }
      sightings += 1
      try require(wants(record.registration.settings, told), "\(app) is woken for what it does not want")
      try require(woken.insert(app).inserted, "\(app) is woken twice")
    default: break
    }
  }

  private func isAsleep(_ record: Record) -> Bool { record.isStaying && record.isHeld }

  private func wants(_ settings: ProgramSettings, _ told: [Accessory?]) -> Bool {
    guard settings.modes.contains(.externalAccessory) else { return false }
    return told.contains { device in
      guard let device, !settings.accessories.isEmpty else { return true }
      return settings.accessories.contains { $0.includes(device) }
    }
  }

  func end(_ step: Step, _ ledger: Ledger) throws(Violation) {
    if step.isTick, let due { try require(ledger.now < due, "accessories are forgotten") }
    defer { told = nil }
    guard let told else { return }
    for case let record? in ledger.records where sleepers.contains(record.id) && record.isStaying {
      guard wants(record.registration.settings, told) else { continue }
      try require(woken.contains(record.id), "\(record.id) sleeps through what it wants")
    }
  }
}
