import LullEngine

/// "A call interrupts other programs' music and makes what mixes quieter; of music, the foreground program's
/// is heard, then whoever began last; what ducks others makes them quieter; the background is silent without
/// the right to be heard." Every session is ordered by this rule, once for each change, and interrupted when
/// it was running.
final class OneVoice: Rule {
  static let name = "one-voice"
  private(set) var sightings = 0
  private var isDirty = false
  private var callers: [AppID] = []

  private struct Scene {
    var callers: Set<AppID> = []
    var duckers: Set<AppID> = []
    var leader: (app: AppID, isForeground: Bool, rank: UInt64)?
  }

  func event(_ event: Event?, _ ledger: Ledger) throws(Violation) {
    switch (event, ledger.request) {
    case (.sound, _), (.audibility, _), (.exited, _), (.leave, _), (.letGo, _): isDirty = true
    case (_, .openSession), (_, .endSession), (_, .adopt): isDirty = true
    default: isDirty = false
    }
  }

  func effect(_ effect: Effect, _ ledger: Ledger) throws(Violation) {
    switch effect {
    case .order(let app, let session, let order):
      guard let sound = ledger[app]?.sounds.first(where: { $0.id == session }) else {
        throw Violation(rule: Self.name, what: "\(app) has no session \(session.number) to \(order)")
      }
      try require(sound.order != order, "session \(session.number) is told to \(order) twice")
      isDirty = true
    case .note(_, .state), .note(_, .killed), .note(_, .interrupted): isDirty = true
    default: break
    }
  }

  func end(_ step: Step, _ ledger: Ledger) throws(Violation) {
    let players = ledger.records.compactMap { $0 }.filter { !$0.sounds.isEmpty && !$0.isKilled }
    // A call without audible speech ends by itself.
    let callers = players.filter { $0.isInCall(at: ledger.now) }.map(\.id)
    guard isDirty || step.isComplete || callers != self.callers else { return }
    self.callers = callers
    let scene = observe(players)
    for record in players {
      for sound in record.sounds { try check(sound, of: record, in: scene, ledger: ledger) }
    }
  }

  private func observe(_ players: [Record]) -> Scene {
    var scene = Scene(callers: Set(callers))
    for record in players {
      for sound in record.sounds where sound.isRunning && record.hasRight(sound) {
        let isConversation = record.isConversation(sound.session)
        if sound.session.ducksOthers, !isConversation || callers.contains(record.id) {
          scene.duckers.insert(record.id)
        }
        if !isConversation, isMusic(sound.session) {
          let isFirst =
            scene.leader.map {
              record.isForeground == $0.isForeground ? sound.rank > $0.rank : record.isForeground
            }
          if isFirst ?? true { scene.leader = (record.id, record.isForeground, sound.rank) }
        }
      }
    }
    return scene
  }

  private func isMusic(_ session: SessionTraits) -> Bool {
    session.direction == .play && session.category != .ambient && !session.mixesWithOthers
      && !session.ducksOthers
  }

  private func check(_ sound: Record.Sound, of record: Record, in scene: Scene, ledger: Ledger)
    throws(Violation)
  {
    let (order, isInterrupted) = expectation(sound, of: record, in: scene)
    let name = "session \(sound.id.number) of \(record.id)"
    try require(sound.order == order, "\(name) is to \(sound.order), not to \(order)")
    let interrupted = isInterrupted ?? sound.isInterrupted
    try require(sound.isInterrupted == interrupted, "\(name): interrupted is \(interrupted)")
    let loses = sound.isRunning && isMusic(sound.session) && order == .hold && record.hasRight(sound)
    guard loses, let leader = scene.leader, leader.app != record.id, !record.isConversation(sound.session)
    else {
      return
    }
    guard scene.callers.isEmpty || scene.callers.contains(record.id) else { return }
    ledger.dismissed(record.id, sound.id)
    sightings += 1
  }

  /// The order, and the interruption; nil leaves the interruption as it was.
  private func expectation(_ sound: Record.Sound, of record: Record, in scene: Scene) -> (AudioOrder, Bool?) {
    if record.isDenied(sound) { return (.deny, nil) }
    guard record.hasRight(sound) else { return (.hold, nil) }
    if sound.session.direction == .capture || record.isConversation(sound.session) { return (.play, false) }
    if sound.isDismissed { return (.hold, scene.leader == nil ? false : nil) }
    if !scene.callers.isEmpty, !scene.callers.contains(record.id) {
      guard isMusic(sound.session) else { return (.duck, false) }
      return sound.isRunning ? (.hold, true) : (.play, false)
    }
    if sound.isRunning, isMusic(sound.session), let leader = scene.leader, leader.app != record.id {
      return (.hold, true)
    }
    return (scene.duckers.contains { $0 != record.id } ? .duck : .play, false)
  }
}
