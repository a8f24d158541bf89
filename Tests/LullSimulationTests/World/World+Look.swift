import LullEngine

extension World {
  /// The daemon looks at a program, and freezes it unless the engine takes the freeze back.
  func look(_ program: FakeProgram, _ ticket: Ticket) throws(Violation) {
    guard program.isAlive, let app = program.app else { return }
    guard program.cell.freezer == .asked(ticket) else {
      if chance.happens(100) { try feed(.looked(app, ticket, Look())) }
      return
    }
    if !isDraining, chance.happens(scenario.activity) {
      let lengths: [Interval] = [.milliseconds(20), .milliseconds(700), .seconds(10), .seconds(60)]
      program.waits.act(isCall: chance.happens(500), for: chance.pick(lengths), at: now)
    }
    try feed(.looked(app, ticket, seen(program)))
    guard program.isAlive, program.app == app, program.cell.freezer == .asked(ticket) else { return }
    freeze(program, ticket)
  }

  /// The look of an honest daemon, which meets a program at work now and then.
  private func seen(_ program: FakeProgram) -> Look {
    var look = Look()
    let rate = program.isObserved ? scenario.busyObservations : scenario.freezeRefused
    if program.waits.isInCall(now) {
      look.activity = .moves(process: 1, thread: 1, call: "write")
    } else if chance.happens(rate / 2) {
      look.activity = chance.happens(900) ? .works(process: 1, thread: 1) : .unreadable(.narrow)
    }
    if program.isObserved { look.used = program.waits.used(now) }
    if chance.happens(200) { look.cost = chance.upTo(Interval(nanoseconds: 100_000)) }
    return look
  }

  /// The kernel's account of a program that was looked at.
  func activity(_ program: FakeProgram, _ app: AppID) -> ActivityView {
    ActivityView(
      app: app, isInCall: program.waits.isInCall(now),
      worksSince: program.isObserved ? program.waits.worksSince(now) : nil)
  }
}
