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
    if comesBack { stage.step(.install(registration.name, .ended), .done) }
    stage.step(
      .register(registration), .registered(app, .background), effects: [.note(app, .state(.background))])
  }

  private func sleeps(_ app: AppID, on stage: Stage) {
    let freeze = stage.newTicket()
    stage.step(.tick, [.freeze(app, freeze)])
    stage.sleeps(freeze, app: app)
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
    func stage() -> Stage {
      let stage = Stage(PurgeOrder())
      behind(app, on: stage)
      return stage
    }
    let uninstall = Engine.Request.uninstall("program 0")
    let late = stage()
    late.step(uninstall, .done)
    #expect(late.step(.tick, purge(app, asked: true)) == "purge-order")
    let early = stage()
    #expect(early.step(.tick, purge(app, asked: true)) == nil)
    early.step(uninstall, .done)
    #expect(early.step(.tick, [.kill(app, .purged)]) == nil)
  }

  @Test func `purge-order: a program that runs before one that sleeps`() {
    let stage = Stage(PurgeOrder())
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

  @Test func `kill-cause: a program that runs is purged without being asked`() {
    let stage = Stage(KillCause())
    behind(app, on: stage)
    #expect(stage.step(.tick, [.kill(app, .purged)]) == "kill-cause")
  }
}
