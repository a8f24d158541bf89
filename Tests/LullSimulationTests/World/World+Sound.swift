import LullEngine

/// The part of lull-audio: turns what the programs do into reports.
extension World {
  func sound(_ act: SoundAct, _ session: FakeSession, age: Int?, of program: FakeProgram) throws(Violation) {
    guard let app = program.app else { return }
    if case .evaluate = act { return try evaluate(program, app) }
    guard program.sessions.contains(where: { $0 === session }) else { return }
    if let age, age != session.age { return }
    switch act {
    case .observe: try observe(session, of: program, app)
    case .turn:
      session.isLoud.toggle()
      plan(.sound(program, session, .evaluate, age: nil), after: chance.upTo(.seconds(3)))
      plan(.sound(program, session, .turn, age: session.age), after: chance.around(.seconds(40)))
    case .evaluate: break
    case .runsLow:
      guard session.flows else { return }
      session.isLow = true
      try feed(.sound(app, session.id, .low))
      // A program that is awake sees its low buffer by itself.
      if program.cell.runs, chance.happens(700) {
        plan(.sound(program, session, .fill, age: nil), after: chance.upTo(.seconds(1)))
      }
      plan(.sound(program, session, .runsDry, age: session.age), after: chance.around(.seconds(5)))
    case .runsDry:
      guard session.flows else { return }
      session.hasFrames = false
      if session.isLow { try feed(.sound(app, session.id, .low)) }
      plan(.sound(program, session, .observe, age: nil), after: .seconds(1))
      plan(.sound(program, session, .evaluate, age: nil), after: .seconds(2))
    case .fill: try fill(session, of: program, app)
    case .cut:
      program.sessions.removeAll { $0 === session }
      try ask(.endSession(app, session.id))
      plan(.sound(program, session, .evaluate, age: nil), after: chance.upTo(.seconds(2)))
    }
  }

  private func observe(_ session: FakeSession, of program: FakeProgram, _ app: AppID) throws(Violation) {
    guard session.plays != session.hasBegun else { return }
    session.hasBegun = session.plays
    session.age += 1
    try feed(.sound(app, session.id, session.plays ? .began : .ended))
    plan(.sound(program, session, .evaluate, age: nil), after: .seconds(2))
    // A short hangover is the rest of an earned one.
    if !session.plays, chance.happens(300) {
      for scope in AudioScope.allCases where !program.told.contains(scope) {
        try feed(.audibility(app, scope, .quiet(.seconds(Int64(chance.below(5))))))
      }
    }
    guard session.plays else { return }
    plan(.sound(program, session, .turn, age: session.age), after: chance.around(.seconds(40)))
    drain(session, of: program)
  }

  private func drain(_ session: FakeSession, of program: FakeProgram) {
    guard session.declared.isDeep else { return }
    plan(.sound(program, session, .runsLow, age: session.age), after: chance.around(.seconds(20)))
  }

  /// The sum of the program's sessions counts: two sessions that cancel each other are silence.
  private func evaluate(_ program: FakeProgram, _ app: AppID) throws(Violation) {
    let heard = program.sessions.filter(\.isHeard)
    let cancels = heard.count == 2 && program.temper.cancels
    for scope in [AudioScope.all, .live] {
      let sounds = !cancels && heard.contains { scope == .all || !$0.declared.isDeep }
      guard sounds != program.told.contains(scope), program.app == app else { continue }
      if sounds { program.told.insert(scope) } else { program.told.remove(scope) }
      let rest = Int64(chance.below(scenario.policy.audibility.hangoverSeconds))
      try feed(.audibility(app, scope, sounds ? .sounding : .quiet(.seconds(rest))))
    }
  }

  private func fill(_ session: FakeSession, of program: FakeProgram, _ app: AppID) throws(Violation) {
    guard program.cell.runs, program.isAlive, !isDraining else { return }
    session.hasFrames = true
    session.age += 1
    if session.isLow { try feed(.sound(app, session.id, .filled)) }
    session.isLow = false
    try observe(session, of: program, app)
    drain(session, of: program)
  }

  func ordered(_ program: FakeProgram, _ id: SessionID, order: AudioOrder) {
    guard let session = program.sessions.first(where: { $0.id == id }) else { return }
    session.order = order
    plan(.sound(program, session, .evaluate, age: nil), after: chance.upTo(.seconds(2)))
    if order != .hold { drain(session, of: program) }
  }

  /// A shallow ring runs dry when its program sleeps, and is filled again when the program runs.
  func ringsOf(_ program: FakeProgram, areFilled: Bool) {
    for session in program.sessions where session.isWanted {
      if areFilled {
        plan(.sound(program, session, .fill, age: nil), after: chance.upTo(.milliseconds(300)))
      } else if !session.declared.isDeep, session.declared.direction == .play {
        plan(.sound(program, session, .runsDry, age: session.age), after: .milliseconds(500))
      }
    }
  }

  /// lull-audio dies and is started anew: it goes on with the same rings and reports everything again.
  func soundCrashes() throws(Violation) {
    for program in programs {
      guard let app = program.app else { continue }
      for scope in AudioScope.allCases where program.told.contains(scope) {
        try feed(.audibility(app, scope, .quiet(.seconds(Int64(scenario.policy.audibility.hangoverSeconds)))))
      }
      program.told = []
      for session in program.sessions where session.hasBegun {
        plan(.sound(program, session, .evaluate, age: nil), after: chance.upTo(.seconds(4)))
        if session.plays { try feed(.sound(app, session.id, .began)) }
        guard !session.plays || session.isLow else { continue }
        try feed(.sound(app, session.id, session.plays ? .low : .ended))
        session.hasBegun = session.plays
      }
    }
  }

  func deviceReturns() throws(Violation) {
    for program in programs {
      guard let app = program.app else { continue }
      for session in program.sessions { try feed(.sound(app, session.id, .resumed)) }
    }
  }
}
