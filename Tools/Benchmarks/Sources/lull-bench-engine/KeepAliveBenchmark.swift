import LullEngine

/// Counts the wakes of a machine for the keep-alives of many programs.
enum KeepAliveBenchmark {
  private static let programs = 1000
  private static let hours: Int64 = 24

  static func run() {
    let timeout = Interval.seconds(600)
    // Installed at random moments of the first ten minutes; 24 hours begin with the first.
    var fleet = Fleet(Engine(), programs: programs, timeout: timeout, spread: timeout, isFlawless: true)
    var (wakeUps, others, runs) = (0, 0, 0)
    var last = Moment(nanoseconds: 0)
    let end = Moment(nanoseconds: 0) + .seconds(hours * 3600)
    fleet.advance(to: end) { moment, keepAlives in
      // Who settles does so in the same wake-up.
      if keepAlives > 0 { wakeUps += 1 } else if moment - last > Policy().settlingTime { others += 1 }
      last = moment
      runs += keepAlives
    }
    let isReached = abs(wakeUps - 144) <= 1 && others == 0
    print("keepalive: \(programs) programs, T = 600 s, \(hours) simulated hours of the engine alone")
    print(
      "wake-ups of the machine        \(wakeUps)   target 144 +- 1: \(isReached ? "reached" : "not reached")"
        + "   handlers run \(runs), wake-ups without a handler \(others)")
  }
}
