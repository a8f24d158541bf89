import LullEngine
import TestSupport
import Testing

@Suite(.bounded) struct FakeTests {
  private static let line = LineID(1)
  private let now = Moment(nanoseconds: 7)

  private func cell(offload: Offload = [], listens: Bool = false) -> FakeCell {
    let cell = FakeCell()
    cell.lines = [FakeLine(id: Self.line, kind: .voip, offload: offload, listens: listens)]
    return cell
  }

  private func watched(offload: Offload = [], listens: Bool = false) -> FakeCell {
    let cell = cell(offload: offload, listens: listens)
    let ticket = Ticket(1)
    cell.freeze(ticket)
    #expect(cell.stop(ticket))
    #expect(cell.watch(ticket) != nil)
    return cell
  }

  @Test func `the generator gives the published numbers`() {
    var chance = Chance(seed: 1_234_567)
    let numbers = (0..<3).map { _ in chance.next() }
    #expect(numbers == [6_457_827_717_110_365_317, 3_203_168_211_198_807_973, 9_817_491_932_198_370_423])
  }

  @Test func `the agenda goes by the moment, then by the order`() {
    var agenda = Agenda()
    var chance = Chance(seed: 5)
    for number in 0..<200 {
      let moment = Moment(nanoseconds: Int64(chance.below(20)))
      agenda.add(.launch(number), at: moment, order: UInt64(chance.below(1000)))
      if number % 3 == 0 { _ = agenda.next() }
    }
    var last = Moment(nanoseconds: 0)
    var count = 0
    while let next = agenda.next() {
      #expect(next.moment >= last)
      last = next.moment
      count += 1
    }
    #expect(count == 200 - 67)
    agenda.add(.launch(1), at: last, order: 2)
    agenda.add(.launch(2), at: last, order: 1)
    guard case .launch(2)? = agenda.next()?.item else { return #expect(Bool(false), "the order decides") }
  }

  @Test func `a running program reads its bytes and nobody is told`() {
    let cell = cell()
    #expect(cell.receive(.data, onLine: 0, at: now) == nil)
    #expect(cell.unseenSince == nil)
    #expect(cell.read() == [])
    #expect(cell.lines[0].readiness == nil)
  }

  @Test func `bytes for a frozen program fire once and wait until the thaw`() {
    let cell = watched()
    #expect(!cell.runs)
    #expect(cell.receive(.data, onLine: 0, at: now) == Self.line)
    #expect(cell.receive(.data, onLine: 0, at: now) == nil)
    #expect(cell.unseenSince == now)
    #expect(cell.lines[0].readiness == .data)
    #expect(cell.thaw() == [])
    #expect(cell.lines[0].readiness == nil)
    #expect(cell.unseenSince == nil)
  }

  @Test func `bytes between the freeze and the arming are found by the last poll`() {
    let cell = cell()
    cell.freeze(Ticket(1))
    #expect(cell.runs)
    #expect(cell.stop(Ticket(1)))
    #expect(cell.receive(.data, onLine: 0, at: now) == nil)
    let found = cell.watch(Ticket(1))
    #expect(found?.map(\.0) == [Self.line])
    #expect(found?.map(\.1) == [.data])
  }

  @Test func `a freeze that was taken back does not come about`() {
    let cell = cell()
    cell.freeze(Ticket(1))
    _ = cell.thaw()
    #expect(!cell.stop(Ticket(1)))
    cell.freeze(Ticket(2))
    #expect(!cell.stop(Ticket(1)))
    #expect(cell.watch(Ticket(2)) == nil)
    #expect(cell.runs)
  }

  @Test func `the end of a connection stays until the program closes it`() {
    for (arrival, readiness) in [(Arrival.fin, LineReadiness.closed), (.rst, .error)] {
      let cell = watched()
      #expect(cell.receive(arrival, onLine: 0, at: now) == Self.line)
      #expect(cell.lines[0].readiness == readiness)
      #expect(cell.thaw() == [Self.line])
      #expect(cell.lines[0].readiness == readiness)
    }
  }

  @Test func `one ping alone on a line with a rule is a ping, anything more is data`() {
    let cell = watched(offload: .line)
    _ = cell.receive(.ping, onLine: 0, at: now)
    #expect(cell.lines[0].readiness == .ping)
    #expect(!cell.answerPing(Self.line))
    #expect(cell.unseenSince == nil)
    _ = cell.receive(.ping, onLine: 0, at: now)
    _ = cell.receive(.data, onLine: 0, at: now)
    #expect(cell.lines[0].readiness == .data)
    #expect(cell.answerPing(Self.line))
    let plain = watched()
    _ = plain.receive(.ping, onLine: 0, at: now)
    #expect(plain.lines[0].readiness == .data)
  }

  @Test func `a listening line takes connections and no bytes`() {
    let cell = watched(listens: true)
    #expect(cell.receive(.data, onLine: 0, at: now) == nil)
    #expect(cell.receive(.connection, onLine: 0, at: now) == Self.line)
    #expect(cell.lines[0].readiness == .accept)
  }

  @Test func `a descriptor that the program closed is lost at the next freeze`() {
    let cell = cell()
    cell.lines[0].isClosed = true
    cell.freeze(Ticket(1))
    #expect(cell.stop(Ticket(1)))
    #expect(cell.takeLost() == [Self.line])
    #expect(cell.watch(Ticket(1))?.isEmpty == true)
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
