import LullEngine

extension FakeProgram {
  /// An act of the program with its sound; a command acts through a plugin.
  func actAloud(_ app: AppID, _ chance: inout Chance) -> [Deed] {
    if chance.happens(temper.bad), chance.happens(100) {
      return [.ask(.endSession(app, SessionID(UInt32(chance.below(1000)))), .endSession(nil))]
    }
    guard !sessions.isEmpty, !chance.happens(250) else {
      return sessions.count < 4 || chance.happens(temper.bad) ? [open(app, &chance)] : []
    }
    let session = chance.pick(sessions)
    switch chance.below(10) {
    case 0: return [.ask(.endSession(app, session.id), .endSession(session.id))]
    case 1, 2: return [.playSound(session, false)]
    case 3, 4: return [.interruptSound(session)]
    case 5 where chance.happens(100): return [.cutSound(session)]
    default: return [.playSound(session, true)]
    }
  }

  private func open(_ app: AppID, _ chance: inout Chance) -> Deed {
    let categories: [AudioCategory] = [
      .playback, .playback, .playback, .ambient, .soloAmbient, .record, .playAndRecord,
    ]
    var session = SessionTraits(category: chance.pick(categories))
    let captures = session.category == .record || (session.category == .playAndRecord && chance.happens(500))
    if captures { session.direction = .capture }
    session.mixesWithOthers = chance.happens(150)
    session.ducksOthers = chance.happens(100)
    session.isDeep = !captures && chance.happens(300)
    return .ask(.openSession(app, session), .openSession(session))
  }
}
