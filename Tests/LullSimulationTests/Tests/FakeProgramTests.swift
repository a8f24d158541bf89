import LullEngine
import TestSupport
import Testing

@Suite(.bounded) struct FakeProgramTests {
  private let app = Stage.app

  private func program(_ temper: Temper = Temper()) -> (program: FakeProgram, chance: Chance) {
    var chance = Chance(seed: 9)
    let program = FakeProgram(
      number: 3, life: 4, registration: Registration(name: "program", modes: .voip), temper: temper)
    _ = program.answered(
      .register, with: .registered(app, .inactive), chance: &chance, at: Moment(nanoseconds: 0))
    return (program, chance)
  }

  private func says(_ plans: [FakeProgram.Plan]) -> [String] {
    plans.map { plan in
      switch plan.deed {
      case .say(let event): String("\(event)".prefix { $0 != "(" })
      case .ask(let request, _): String("\(request)".prefix { $0 != "(" })
      default: "\(plan.deed)"
      }
    }
  }

  @Test func `a good program answers each message and each wake`() {
    var (program, chance) = program()
    let now = Moment(nanoseconds: 0)
    let message = Effect.deliver(app, .willResignActive, Ticket(5))
    #expect(says(program.reached(by: message, &chance, at: now)) == ["did"])
    let wake = Effect.woke(app, Wake(reason: .data, line: nil, moment: now), Ticket(6))
    #expect(says(program.reached(by: wake, &chance, at: now)).contains("done"))
    #expect(says(program.reached(by: .runKeepAlive(app, Ticket(7)), &chance, at: now)) == ["done"])
    #expect(program.keepAlive == nil)
  }

  @Test func `a bad program hangs, is stale, is late and ends`() {
    var temper = Temper()
    temper.bad = 1000
    var (program, chance) = program(temper)
    var kinds: Set<[String]> = []
    for ticket in 1...100 as ClosedRange<UInt64> {
      let message = Effect.deliver(app, .willResignActive, Ticket(ticket))
      kinds.insert(says(program.reached(by: message, &chance, at: Moment(nanoseconds: 0))))
    }
    #expect(kinds == [[], ["did"], ["did", "did"], ["did", "did", "did"], ["did", "exit"]])
  }

  @Test func `a bad program asks for everything that it should not`() {
    var temper = Temper()
    temper.bad = 1000
    var (program, chance) = program(temper)
    var kinds: Set<String> = []
    for _ in 0..<2_000 {
      for deed in program.act(Policy(), &chance) { kinds.formUnion(says([(.zero, deed)])) }
    }
    let expected: Set<String> = [
      "register", "adopt", "leave", "did", "done", "hold", "release", "keepAlive", "beginTask", "endTask",
      "remaining",
      "present", "schedule", "cancel", "transition", "exit",
    ]
    #expect(kinds == expected)
  }

  @Test func `a program begins a task, ends it and forgets none`() {
    var (program, chance) = program()
    let plans = program.answered(
      .begin(forgets: false), with: .task(Stage.task, remaining: nil), chance: &chance,
      at: Moment(nanoseconds: 0))
    #expect(says(plans) == ["endTask"])
    #expect(program.tasks == [Stage.task])
    let expire = program.reached(by: .expire(app, Stage.task), &chance, at: Moment(nanoseconds: 0))
    #expect(says(expire) == ["endTask"])
    _ = program.answered(.end(Stage.task), with: .done, chance: &chance, at: Moment(nanoseconds: 0))
    #expect(program.tasks.isEmpty)
  }

  @Test(arguments: [0, 500])
  func `a frozen program says nothing, but for what was on its way`(inFlight: Int) throws {
    var scenario = Scenario.calm
    scenario.programs = 4
    scenario.inFlight = inFlight
    let world = World(scenario, chance: Chance(seed: 4))
    world.populate()
    var freezes = 0
    var overtaken = 0
    world.witness = { [unowned world] input, _, _ in
      switch input {
      case .event(.frozen): freezes += 1
      case .event(.did(let app, _)), .event(.done(let app, _)), .request(.endTask(let app, _)),
        .request(.present(let app, _, _)):
        if world.program(app)?.cell.runs == false { overtaken += 1 }
      default: break
      }
    }
    try world.run(steps: 3_000)
    #expect(freezes > 50)
    #expect((overtaken > 0) == (inFlight > 0))
  }
}
