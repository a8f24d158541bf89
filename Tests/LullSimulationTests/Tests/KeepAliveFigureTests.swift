import LullEngine
import TestSupport
import Testing

@Suite(.bounded(seconds: 600)) struct KeepAliveFigureTests {
  /// A machine that has nothing but keep-alives: all programs sleep and each says `done` at once.
  private struct Machine {
    var engine = Engine()
    var wakeUps = 0
    private var now = Moment(nanoseconds: 0)
    private var effects: [Effect] = []
    private var waiting: [Event] = []
    private var runs: [Moment?] = []

    /// The shortest and the longest gap between two runs of one program.
    private(set) var gaps: (least: Interval, most: Interval) = (Interval(nanoseconds: .max), .zero)

    mutating func ask(_ request: Engine.Request, at moment: Moment) {
      now = moment
      effects.removeAll(keepingCapacity: true)
      _ = engine.handle(request, at: now, effects: &effects)
      follow()
      workOff()
    }

    mutating func feed(_ event: Event, at moment: Moment) {
      now = moment
      waiting.append(event)
      workOff()
    }

    private mutating func workOff() {
      while !waiting.isEmpty {
        let events = waiting
        waiting.removeAll(keepingCapacity: true)
        for event in events { handle(event) }
      }
    }

    private mutating func handle(_ event: Event) {
      effects.removeAll(keepingCapacity: true)
      engine.handle(event, at: now, effects: &effects)
      follow()
    }

    private mutating func follow() {
      for effect in effects {
        switch effect {
        case .freeze(let app, let ticket): waiting.append(.observed(app, ticket, Observation()))
        case .watch(let app, let ticket, _): waiting.append(.frozen(app, ticket))
        case .woke(let app, let wake, let ticket) where wake.reason != .keepalive:
          waiting.append(.done(app, ticket))
        case .runKeepAlive(let app, let ticket):
          waiting.append(.done(app, ticket))
          ran(app)
        default: break
        }
      }
    }

    private mutating func ran(_ app: AppID) {
      while runs.count <= Int(app.slot) { runs.append(nil) }
      if let last = runs[Int(app.slot)] {
        gaps = (min(gaps.least, now - last), max(gaps.most, now - last))
      }
      runs[Int(app.slot)] = now
    }

    /// Sleeps from deadline to deadline.
    mutating func run(until end: Moment) {
      while let deadline = engine.deadline, deadline <= end {
        // A program that settles does so in the same wake-up.
        if deadline - now > engine.policy.settlingTime { wakeUps += 1 }
        feed(.tick, at: deadline)
      }
    }
  }

  @Test func `a thousand programs with a time-out of 600 s wake the machine 144 times a day`() {
    var machine = Machine()
    var chance = Chance(seed: 1)
    for number in 0..<1_000 {
      let moment = Moment(nanoseconds: Int64(number) * 600_000_000 + Int64(chance.below(600_000_000)))
      var registration = Registration(name: "program \(number)", modes: .voip)
      registration.resumes = .background
      machine.ask(.register(registration), at: moment)
      guard let app = machine.engine.find(name: registration.name) else { continue }
      machine.ask(.keepAlive(app, .seconds(600), lastRun: nil), at: moment)
    }
    let start = Moment(nanoseconds: 0) + .seconds(600)
    machine.run(until: start + .seconds(24 * 3600))
    #expect((143...145).contains(machine.wakeUps))
    #expect(machine.gaps.least == .seconds(600))
    #expect(machine.gaps.most == .seconds(600))
    let runs = machine.engine.programs.map { machine.engine.program($0, at: start)?.keepAlive?.runs ?? 0 }
    #expect(runs.count == 1_000)
    #expect(runs.allSatisfy { (143...145).contains($0) })
  }
}
