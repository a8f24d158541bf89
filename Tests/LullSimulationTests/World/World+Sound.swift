import LullEngine

/// Whoever plays the sessions: turns what their programs do into reports.
extension World {
  func sound(_ act: SoundAct, _ session: FakeSession, age: Int?, of program: FakeProgram) throws(Violation) {
    guard let app = program.app, program.sessions.contains(where: { $0 === session }) else { return }
    if let age, age != session.age { return }
    switch act {
    case .look: try look(session, of: program, app)
    case .turn:
      session.isLoud.toggle()
      plan(.sound(program, session, .judge, age: nil), after: chance.upTo(.seconds(3)))
      plan(.sound(program, session, .turn, age: session.age), after: chance.around(.seconds(40)))
    case .judge: try judge(session, app)
    case .runsLow:
      guard session.flows else { return }
      session.isLow = true
      try feed(.sound(app, session.id, .low))
      // A program that is awake sees it by itself.
      if program.cell.runs, chance.happens(700) {
        plan(.sound(program, session, .fill, age: nil), after: chance.upTo(.seconds(1)))
      }
      plan(.sound(program, session, .runsDry, age: session.age), after: chance.around(.seconds(5)))
    case .runsDry:
      guard session.flows else { return }
      session.hasFrames = false
      if session.isLow { try feed(.sound(app, session.id, .low)) }
      plan(.sound(program, session, .look, age: nil), after: .seconds(1))
      plan(.sound(program, session, .judge, age: nil), after: .seconds(2))
    case .fill: try fill(session, of: program, app)
    case .cut:
      let request = operatorRequest()
      program.sessions.removeAll { $0 === session }
      try feed(.endSession(app, session.id, request))
    }
  }

  private func look(_ session: FakeSession, of program: FakeProgram, _ app: AppID) throws(Violation) {
    guard session.plays != session.hasBegun else { return }
    session.hasBegun = session.plays
    session.age += 1
    try feed(.sound(app, session.id, session.plays ? .began : .ended))
    plan(.sound(program, session, .judge, age: nil), after: .seconds(2))
    guard session.plays else { return }
    plan(.sound(program, session, .turn, age: session.age), after: chance.around(.seconds(40)))
    drain(session, of: program)
  }

  private func drain(_ session: FakeSession, of program: FakeProgram) {
    guard session.declared.isDeep else { return }
    plan(.sound(program, session, .runsLow, age: session.age), after: chance.around(.seconds(20)))
  }

  private func judge(_ session: FakeSession, _ app: AppID) throws(Violation) {
    let sounds = session.flows && session.isLoud
    guard sounds != session.isSounding else { return }
    session.isSounding = sounds
    let rest = Int64(chance.below(scenario.policy.audibility.hangoverSeconds))
    try feed(.sound(app, session.id, sounds ? .sounding : .quiet(.seconds(rest))))
  }

  private func fill(_ session: FakeSession, of program: FakeProgram, _ app: AppID) throws(Violation) {
    guard program.cell.runs, program.isAlive, !isDraining else { return }
    session.hasFrames = true
    session.age += 1
    if session.isLow { try feed(.sound(app, session.id, .filled)) }
    session.isLow = false
    try look(session, of: program, app)
    drain(session, of: program)
  }

  func ordered(_ program: FakeProgram, _ id: SessionID, _ order: SoundOrder) {
    guard let session = program.sessions.first(where: { $0.id == id }) else { return }
    session.order = order
    plan(.sound(program, session, .judge, age: nil), after: chance.upTo(.seconds(2)))
    if order != .hold { drain(session, of: program) }
  }

  /// A shallow ring runs dry when its program sleeps, and is filled again when it runs.
  func ringsOf(_ program: FakeProgram, areFilled: Bool) {
    for session in program.sessions where session.isWanted {
      if areFilled {
        plan(.sound(program, session, .fill, age: nil), after: chance.upTo(.milliseconds(300)))
      } else if !session.declared.isDeep, session.declared.direction == .play {
        plan(.sound(program, session, .runsDry, age: session.age), after: .milliseconds(500))
      }
    }
  }

  /// What plays the sound dies and is started anew: it goes on with the same rings and tells everything again.
  func soundCrashes() throws(Violation) {
    for program in programs {
      for session in program.sessions {
        guard let app = program.app, session.hasBegun else { continue }
        session.isSounding = false
        plan(.sound(program, session, .judge, age: nil), after: chance.upTo(.seconds(4)))
        if session.plays { try feed(.sound(app, session.id, .began)) }
        guard !session.plays || session.isLow else { continue }
        try feed(.sound(app, session.id, session.plays ? .low : .ended))
        session.hasBegun = session.plays
      }
    }
  }
}
