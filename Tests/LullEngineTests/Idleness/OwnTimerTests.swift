import LullEngine
import TestSupport
import Testing

/// The time-outs of a command stand still while it sleeps; the command is woken for them, at most once in the
/// floor.
@Suite(.bounded) struct OwnTimerTests {
  private static let wakes = ["thaw server", "server: woke, timer"]

  /// A command that is asleep since 2 s, woken at 100 s by a byte and asleep again with a timer that is due
  /// in this many seconds.
  private static func asleep(
    _ seconds: Double?, _ configure: (inout Registration) -> Void = { _ in }
  ) -> Script {
    var script = Script.observed(configure)
    script.find("server", .opened)
    script.sleeps(.idle)
    script.pass(to: 100)
    script.ready("server", .data)
    script.pass(to: 100.025)
    script.sleeps(Observation([.waiting(.sources, for: seconds)], [.line(1)]))
    return script
  }

  private static func at(_ seconds: Double) -> [String] { wakes.map { "\(Moment(seconds).text) s: \($0)" } }

  @Test func `time-outs below a second do not count, a timer descriptor does, and the first one is due`() {
    var ticking = Self.asleep(nil)
    ticking.ready("server", .data)
    ticking.pass(to: 102)
    ticking.command("server", .suspend)
    let ticks = Observation([.waiting(.sources, for: 0.5), .waiting(.time, for: 900)], [.line(1)])
    #expect(ticking.observe(ticks) == "ticking")
    _ = ticking.nextObservation()
    ticking.sleeps(ticks.with { $0.timer = .seconds(800) })
    let due = ticking.now + .seconds(800)
    #expect(ticking.engine.program(ticking.id("server"), at: ticking.now)?.timer?.due == due)
  }

  @Test func `never is never, and the overdue timer is shown all the same`() {
    var script = Self.asleep(20) { $0.settings.timers = .never }
    #expect(script.pass(to: 100_000) == [])
    let view = script.engine.program(script.id("server"), at: script.now)?.timer
    #expect(view?.due == Moment(120.025))
    #expect(view?.latest == nil && view?.floor == nil)
  }

  @Test func `a peer that loses patience lowers the floor to a third of the sleep, to 15 s at least`() {
    for (lost, floor) in [(190.0, 30.0), (121, 15)] {
      var script = Self.asleep(20)
      script.pass(to: lost)
      _ = script.takeNotes()
      script.ready("server", .closed)
      let overdue = Interval(lost - 120.025)
      #expect(script.takeNotes().first == .timerOverdue(overdue, floor: Interval(floor)))
      let again = script.nextObservation()
      #expect(again == lost + 60)
      script.sleeps(Observation([.waiting(.sources, for: 20)], [.line(1)]))
      let due = max(again + 20, lost + floor)
      #expect(script.pass(to: due - 0.001) == [])
      #expect(script.pass(to: due) == Self.at(due))
    }
  }

  @Test func `below 15 s it does not go, and nobody says that it does`() {
    var script = Self.asleep(20)
    script.pass(to: 121)
    script.ready("server", .closed)
    _ = script.nextObservation()
    script.find("server", .opened)
    script.sleeps(.idle)
    script.pass(to: 300)
    let id = script.id("server")
    script.feed(.ready(id, LineID(2), .data))
    _ = script.nextObservation()
    script.sleeps(Observation([.waiting(.sources, for: 2)], [.line(1)]))
    script.pass(to: 305)
    _ = script.takeNotes()
    script.feed(.ready(id, LineID(2), .closed))
    #expect(script.takeNotes().first == .timerOverdue(Interval(2.975), floor: nil))
  }

  @Test func `not when no timer was overdue, and not when the floor was asked for`() {
    var early = Self.asleep(20)
    early.pass(to: 119)
    _ = early.takeNotes()
    early.ready("server", .error)
    #expect(!early.takeNotes().contains { if case .timerOverdue = $0 { true } else { false } })
    var asked = Self.asleep(20) { $0.settings.timers = .floor(.seconds(300)) }
    asked.pass(to: 200)
    _ = asked.takeNotes()
    asked.ready("server", .closed)
    #expect(asked.takeNotes().first == .timerOverdue(Interval(79.975), floor: nil))
  }

  /// A command that is asleep since 2 s and may have an alarm.
  private static func hiding(_ timers: TimerRule) -> Script {
    var script = Script.observed { $0.settings.timers = timers }
    script.find("server", .opened)
    script.sleeps(.idle.with { $0.hidesTimers = true })
    return script
  }

  private static let look = "check server's signals"

  @Test func `hidden timers: its signals are looked at at the floor, and nobody thaws it`() {
    var script = Self.hiding(.floor(.seconds(5)))
    #expect(script.pass(to: 16) == [5.0, 10, 15].map { "\(Moment($0).text) s: \(Self.look)" })
    #expect(script.state("server") == .suspended)
    let wake = script.feed(.signalDue(script.id("server")))
    #expect(wake == ["thaw server", "server: woke, signal"])
    // The program runs: there is nothing to look at, and a late answer changes nothing.
    #expect(script.feed(.signalDue(script.id("server"))).isEmpty)
  }

  @Test func `in turns that come anyway they are looked at once in a second, with never in these alone`() {
    for timers in [TimerRule.automatic, .never] {
      var script = Self.hiding(timers)
      script.pass(to: 2.9)
      #expect(script.feed(.routeChanged).isEmpty)
      script.pass(to: 3)
      #expect(script.feed(.routeChanged) == [Self.look])
      #expect(script.feed(.routeChanged).isEmpty)
      let later = script.pass(to: 10_000)
      #expect(later.isEmpty == (timers == .never))
    }
  }

  @Test func `a look in the last quarter of the floor is that of the floor`() {
    for (moment, next) in [(449.0, 600.0), (451, 1051)] {
      var script = Self.hiding(.automatic)
      script.pass(to: moment)
      #expect(script.feed(.routeChanged) == [Self.look])
      #expect(script.pass(to: next) == ["\(Moment(next).text) s: \(Self.look)"])
    }
  }
}
