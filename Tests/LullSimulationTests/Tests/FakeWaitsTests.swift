import LullEngine
import TestSupport
import Testing

@Suite(.bounded) struct FakeWaitsTests {
  private let start = Moment(nanoseconds: 0)

  private func waits(_ style: FakeWaits.Style, napper: Bool = false) -> FakeWaits {
    var waits = FakeWaits()
    (waits.style, waits.hasNapper) = (style, napper)
    return waits
  }

  @Test func `an eventfd is made ready from outside, and has no end`() {
    var eventfd = line()
    eventfd.isEventfd = true
    for style in [FakeWaits.Style.levelSet, .edgeSet, .poll, .naps] {
      let cell = watched(waits(style), eventfd)
      #expect(cell.receive(.fin, onLine: 0, at: start) == nil)
      #expect(cell.receive(.data, onLine: 0, at: start) == LineID(1))
    }
  }

  private func line(isLeaked: Bool = false, isFull: Bool = false) -> FakeLine {
    var line = FakeLine(id: LineID(1), kind: .voip, offload: [], listens: false, isFull: isFull)
    line.isLeaked = isLeaked
    return line
  }

  /// A program that was observed after its freeze, and is watched by this plan.
  private func watched(_ waits: FakeWaits, _ line: FakeLine, plan: WatchPlan = WatchPlan()) -> FakeCell {
    let cell = FakeCell()
    cell.lines = [line]
    cell.freeze(Ticket(1))
    #expect(cell.stop(Ticket(1)))
    cell.observe(waits)
    #expect(cell.watch(Ticket(1), plan)?.isEmpty == true)
    return cell
  }

  @Test func `time-outs stand still while the program does, and begin anew`() {
    var waits = waits(.poll)
    waits.timeOut = .seconds(5)
    #expect(waits.left(start + .seconds(2)) == .seconds(3))
    waits.stop(at: start + .seconds(2))
    #expect(waits.left(start + .seconds(100)) == .seconds(3))
    waits.run(at: start + .seconds(100))
    #expect(waits.left(start + .seconds(102)) == .seconds(1))
    #expect(waits.left(start + .seconds(103)) == .seconds(5))
  }

  @Test func `others end in the sleep, and begin anew after it`() {
    var waits = waits(.poll)
    (waits.timeOut, waits.course) = (.seconds(5), .goesOn)
    #expect(waits.left(start + .seconds(7)) == .seconds(3))
    waits.stop(at: start + .seconds(7))
    #expect(waits.left(start + .seconds(8)) == .seconds(2))
    #expect(waits.left(start + .seconds(100)) == .zero)
    waits.run(at: start + .seconds(9))
    #expect(waits.left(start + .seconds(9)) == .seconds(1))
    waits.stop(at: start + .seconds(9))
    waits.run(at: start + .seconds(100))
    #expect(waits.left(start + .seconds(101)) == .seconds(4))
  }

  @Test func `the time-out of a query stands still too, and runs out once`() {
    var waits = waits(.poll)
    waits.ask(on: LineID(1), for: .seconds(5), sent: .seconds(1), at: start)
    waits.stop(at: start + .seconds(3))
    #expect(waits.queryLeft(start + .seconds(50)) == .seconds(1))
    waits.run(at: start + .seconds(50))
    #expect(waits.queryLeft(start + .seconds(51)) == nil)
    waits.ask(on: LineID(1), for: .seconds(5), sent: .zero, at: start + .seconds(60))
    waits.closed(LineID(2))
    #expect(waits.queryLeft(start + .seconds(60)) == .seconds(5))
    waits.closed(LineID(1))
    #expect(waits.queryLeft(start + .seconds(60)) == nil)
  }

  @Test func `what a thread waits for fires, what nobody looks at does not`() {
    for style in [FakeWaits.Style.levelSet, .edgeSet, .poll, .naps] {
      #expect(watched(waits(style), line()).receive(.data, onLine: 0, at: start) == LineID(1))
    }
    for style in [FakeWaits.Style.inside, .child, .unwatchable] {
      let cell = watched(waits(style), line())
      #expect(cell.receive(.data, onLine: 0, at: start) == nil)
      #expect(cell.unseenSince == nil)
    }
    let leaked = watched(waits(.poll), line(isLeaked: true))
    #expect(leaked.receive(.data, onLine: 0, at: start) == nil)
    let napping = watched(waits(.poll, napper: true), line(isLeaked: true))
    #expect(napping.receive(.data, onLine: 0, at: start) == LineID(1))
  }

  @Test func `an edge is told once, a level again and again`() {
    for (style, readable) in [(FakeWaits.Style.edgeSet, 0), (.levelSet, 1)] {
      let cell = watched(waits(style), line())
      _ = cell.receive(.fin, onLine: 0, at: start)
      #expect(cell.thaw() == [LineID(1)])
      cell.freeze(Ticket(2))
      #expect(cell.stop(Ticket(2)))
      cell.observe(waits(style))
      #expect(cell.watch(Ticket(2))?.count == readable)
    }
  }

  @Test func `where bytes are disregarded only a change fires, also one between the look and the watch`() {
    for isBetween in [false, true] {
      let cell = FakeCell()
      cell.lines = [line(isLeaked: true)]
      _ = cell.receive(.data, onLine: 0, at: start)
      cell.freeze(Ticket(1))
      #expect(cell.stop(Ticket(1)))
      cell.observe(waits(.naps))
      if isBetween { _ = cell.receive(.data, onLine: 0, at: start) }
      var plan = WatchPlan()
      plan.disregarded = [LineID(1)]
      #expect(cell.watch(Ticket(1), plan)?.count == (isBetween ? 1 : 0))
      #expect((cell.receive(.data, onLine: 0, at: start) == nil) == isBetween)
    }
  }

  @Test func `room fires where a thread waits for it, or where the plan says so`() {
    var plan = WatchPlan()
    #expect(watched(waits(.poll), line(isFull: true)).receive(.room, onLine: 0, at: start) != nil)
    let unasked = watched(waits(.naps), line(isFull: true), plan: plan)
    #expect(unasked.receive(.room, onLine: 0, at: start) == nil)
    #expect(unasked.unseenSince == start)
    plan.full = [LineID(1)]
    #expect(watched(waits(.naps), line(isFull: true), plan: plan).receive(.room, onLine: 0, at: start) != nil)
  }
}
