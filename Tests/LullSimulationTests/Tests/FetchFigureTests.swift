import LullEngine
import TestSupport
import Testing

@Suite(.bounded(seconds: 600)) struct FetchFigureTests {
  /// A machine that has nothing but keep-alives and fetches: all programs sleep, and answer at once.
  private struct Machine {
    var engine = Engine()
    private(set) var wakeUps = 0
    private(set) var fetches: [AppID: Int] = [:]
    private var now = Moment(nanoseconds: 0)
    private var waiting: [Event] = []

    mutating func add(_ name: String, _ modes: Modes, at moment: Moment) -> AppID? {
      var registration = Registration(name: name, modes: modes)
      registration.resumes = .background
      take(.request(.register(registration)), at: moment)
      return engine.find(name: name)
    }

    mutating func take(_ input: Input, at moment: Moment) {
      now = moment
      perform(input)
      while !waiting.isEmpty {
        let events = waiting
        waiting = []
        for event in events { perform(.event(event)) }
      }
    }

    private mutating func perform(_ input: Input) {
      var effects: [Effect] = []
      _ = engine.take(input, at: now, effects: &effects)
      for effect in effects {
        switch effect {
        case .freeze(let app, let ticket): waiting.append(.observed(app, ticket, Observation()))
        case .watch(let app, let ticket, _): waiting.append(.frozen(app, ticket))
        case .woke(let app, let wake, let ticket) where ![.keepalive, .fetch].contains(wake.reason):
          waiting.append(.done(app, ticket))
        case .runKeepAlive(let app, let ticket): waiting.append(.done(app, ticket))
        case .runFetch(let app, let ticket):
          fetches[app, default: 0] += 1
          waiting.append(.fetched(app, ticket, .newData))
        default: break
        }
      }
    }

    mutating func run(until end: Moment) {
      while let deadline = engine.deadline, deadline <= end {
        // A program that settles does so in the same wake-up.
        if deadline - now > engine.policy.settlingTime { wakeUps += 1 }
        take(.event(.tick), at: deadline)
      }
    }
  }

  /// The wake-ups of a day with 1,000 keep-alives of 600 s, and the fetches of each of `fetchers` programs.
  private func day(fetchers: Int) -> (wakeUps: Int, fetches: [Int]) {
    var machine = Machine()
    var chance = Chance(seed: 1)
    for number in 0..<1_000 {
      let moment = Moment(nanoseconds: Int64(number) * 600_000_000 + Int64(chance.below(600_000_000)))
      guard let app = machine.add("phone \(number)", .voip, at: moment) else { continue }
      machine.take(.request(.keepAlive(app, .seconds(600), lastRun: nil)), at: moment)
      guard number < fetchers, let app = machine.add("mail \(number)", .fetch, at: moment) else { continue }
      machine.take(.request(.fetch(app, .seconds(4 * 3600), since: nil)), at: moment)
    }
    machine.run(until: Moment(nanoseconds: 0) + .seconds(25 * 3600))
    return (machine.wakeUps, Array(machine.fetches.values))
  }

  @Test func `1,000 programs with a fetch of 4 h wake no machine that has 1,000 keep-alives`() {
    let (alone, with) = (day(fetchers: 0), day(fetchers: 1_000))
    #expect(with.wakeUps == alone.wakeUps)
    #expect(with.fetches.count == 1_000)
    #expect(with.fetches.allSatisfy { (5...6).contains($0) })
  }
}
