import LullEngine

/// Nanoseconds per event of the engine and of the floor, in turn in one run.
enum EngineBenchmark {
  private static let programs = 1000
  private static let batches = 20
  private static let events = 100_000
  private static let target = 500.0

  static func run() {
    var engine = Contestant(Engine(), programs: programs)
    var floor = Contestant(Floor(), programs: programs)
    _ = (engine.measure(events: events), floor.measure(events: events))
    var (ofEngine, ofFloor): ([Double], [Double]) = ([], [])
    for _ in 0..<batches {
      ofEngine.append(engine.measure(events: events))
      ofFloor.append(floor.measure(events: events))
    }
    let verdict = ofEngine.sorted()[batches / 2] < target ? "reached" : "not reached"
    let ratio = zip(ofEngine, ofFloor).map(/).sorted()[batches / 2]
    print("engine: ns per event, \(programs) programs, \(batches) batches of \(events) events in turn")
    print(row("engine", ofEngine) + "   target 500: \(verdict)")
    print(row("floor (state, heap, effects)", ofFloor))
    print("engine / floor, median of the batches: \(rounded(ratio))")
  }

  private static func row(_ name: String, _ figures: [Double]) -> String {
    let sorted = figures.sorted()
    let padded = name + String(repeating: " ", count: max(0, 30 - name.count))
    return "\(padded) median \(rounded(sorted[sorted.count / 2]))   least \(rounded(sorted[0]))"
      + "   most \(rounded(sorted[sorted.count - 1]))"
  }

  private static func rounded(_ figure: Double) -> Double { (figure * 10).rounded() / 10 }
}

/// A machine that is measured goes the way that another of its kind has gone with the fleet, so that the
/// fleet's own work is not in the figure.
private struct Contestant<Measured: Machine> {
  private var fleet: Fleet<Measured>
  private var measured: Measured
  private var effects: [Effect] = []

  init(_ machine: Measured, programs: Int) {
    let time = Interval.seconds(600)
    measured = machine
    fleet = Fleet(machine, programs: programs, timeout: time, spread: time, isFlawless: false)
    follow()
  }

  mutating func measure(events: Int) -> Double {
    fleet.live(events: events)
    let start = monotonic()
    follow()
    return Double(monotonic() - start) / Double(fleet.trace.count)
  }

  private mutating func follow() {
    for (moment, input) in fleet.trace {
      measured.take(input, at: moment, effects: &effects)
      effects.removeAll(keepingCapacity: true)
    }
  }
}
