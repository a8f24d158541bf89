import LullEngine
import TestSupport
import Testing

@Suite(.bounded) struct PurgeRuleTests {
  private let app = Stage.app
  private let other = Stage.other

  /// A program in the background that can come back.
  private func behind(_ app: AppID, on stage: Stage, comesBack: Bool = true) {
    var registration = Registration(name: "program \(app.slot)", modes: .voip)
    registration.resumes = .background
    if comesBack { stage.step(.admit(registration.name, .ended), .done) }
    stage.step(
      .register(registration), .registered(app, .background), effects: [.note(app, .state(.background))])
  }

  private func sleeps(_ app: AppID, on stage: Stage) {
    let freeze = stage.newTicket()
    stage.step(.tick, [.freeze(app, freeze)])
    stage.sleeps(freeze, app: app)
  }

  private func stage(_ rule: any Rule, at level: MemoryPressure = .critical) -> Stage {
    let stage = Stage(rule)
    stage.step(.pressure(level), [.measure([app], stage.newTicket())])
    return stage
  }

  private func purge(_ app: AppID, asked: Bool = false, held: Int64? = 1) -> [Effect] {
    [.note(app, .purged(held: held, isAsked: asked))]
  }

  @Test func `purge-order: a program that cannot come back`() {
    let stage = Stage(PurgeOrder())
    behind(app, on: stage, comesBack: false)
    sleeps(app, on: stage)
    #expect(stage.step(.tick, purge(app)) == "purge-order")
    #expect(stage.step(.tick, [.kill(app, .purged)]) == "purge-order")
  }

  @Test func `purge-order: a program that was uninstalled, unless it was asked to end before`() {
    let uninstall = Engine.Request.uninstall("program 0")
    let late = stage(PurgeOrder())
    behind(app, on: late)
    late.step(uninstall, .done)
    #expect(late.step(.tick, purge(app, asked: true)) == "purge-order")
    let early = stage(PurgeOrder())
    behind(app, on: early)
    #expect(early.step(.tick, purge(app, asked: true)) == nil)
    early.step(uninstall, .done)
    #expect(early.step(.tick, [.kill(app, .purged)]) == nil)
  }

  @Test func `purge-order: a program that runs, and no more than a warning`() {
    let stage = stage(PurgeOrder(), at: .warning)
    behind(app, on: stage)
    #expect(stage.step(.tick, purge(app, asked: true)) == "purge-order")
    #expect(stage.step(.tick, purge(app, asked: true, held: nil)) == nil)
  }

  @Test func `purge-order: a program in its launch, and one on its way to sleep`() {
    let launching = stage(PurgeOrder())
    launching.step(.admit("active", .ended), .done)
    launching.step(.register(Registration(name: "active", modes: .voip)), .registered(app, .inactive))
    #expect(launching.step(.tick, purge(app, asked: true)) == "purge-order")
    let freezing = stage(PurgeOrder())
    behind(app, on: freezing)
    freezing.step(.tick, [.freeze(app, freezing.newTicket())])
    #expect(freezing.step(.tick, purge(app, asked: true)) == "purge-order")
  }

  @Test func `purge-order: a program that runs before one that sleeps`() {
    let stage = stage(PurgeOrder())
    behind(app, on: stage)
    behind(other, on: stage)
    sleeps(other, on: stage)
    #expect(stage.step(.tick, purge(app, asked: true)) == "purge-order")
  }

  @Test func `purge-order: the operator chooses, and a sleeper comes first`() {
    let stage = Stage(PurgeOrder())
    behind(app, on: stage)
    behind(other, on: stage)
    sleeps(other, on: stage)
    #expect(stage.step(.tick, purge(other)) == nil)
    #expect(stage.step(.tick, purge(app, asked: true, held: nil)) == nil)
  }

  @Test func `purge-one-by-one: two at once`() {
    let stage = Stage(PurgeOneByOne())
    behind(app, on: stage)
    behind(other, on: stage)
    #expect(stage.step(.tick, purge(app)) == nil)
    #expect(stage.step(.tick, purge(other), after: .seconds(2)) == "purge-one-by-one")
    #expect(stage.step(.tick, purge(other), after: .seconds(1)) == nil)
  }

  @Test func `pressure-steps: rests that do not double, or do not begin anew`() {
    let stage = Stage(PressureSteps())
    func rests(_ seconds: Int64) -> String? {
      stage.step(.pressure(.critical), [.restPressure(.critical, .seconds(seconds))])
    }
    behind(app, on: stage)
    #expect(rests(60) == "pressure-steps")
    for seconds in [30, 60, 120, 240, 480, 600, 600] as [Int64] { #expect(rests(seconds) == nil) }
    stage.step(.tick, purge(app))
    #expect(rests(600) == "pressure-steps")
    #expect(rests(30) == nil)
    stage.step(.tick, [.note(nil, .pressureRelieved)])
    #expect(rests(30) == nil)
    #expect(rests(30) == "pressure-steps")
  }

  @Test func `pressure-steps: sizes that come too late`() {
    let stage = Stage(PressureSteps())
    behind(app, on: stage)
    let tickets = (0..<2).map { _ in stage.newTicket() }
    for ticket in tickets { stage.step(.pressure(.critical), [.measure([app], ticket)]) }
    #expect(stage.step(.sizes(tickets[0], []), purge(app)) == "pressure-steps")
    #expect(stage.step(.sizes(tickets[1], []), purge(app)) == nil)
  }

  @Test func `kill-cause: a program that runs is purged without being asked`() {
    let stage = Stage(KillCause())
    behind(app, on: stage)
    #expect(stage.step(.tick, [.kill(app, .purged)]) == "kill-cause")
  }
}
