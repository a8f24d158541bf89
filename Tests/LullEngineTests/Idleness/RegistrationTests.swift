import LullEngine
import TestSupport
import Testing

/// A client that must register in time, and the `--timers` that it needs: a timer is late by no more than the
/// floor, so the floor may be as long as the time from a renewal to the expiry.
@Suite(.bounded) struct RegistrationTests {
  /// A client with two timers, which waits for the first of them.
  private struct Client {
    let period: Double
    /// The period of the other timer.
    let other: Double
    /// True for a client that waits in select(2).
    let standsStill: Bool
    var registered = 2.0, served = 2.0
    var ends = 0.0
    var longest = 0.0

    /// The client runs what is due, and waits again.
    mutating func run(at now: Double) {
      // The kernel's clock of a wait is no finer.
      if now > registered + period - 0.000_1 { (longest, registered) = (max(longest, now - registered), now) }
      if now > served + other - 0.000_1 { served = now }
      ends = min(registered + period, served + other)
    }

    mutating func awake(until now: Double) { while ends <= now { run(at: ends) } }

    mutating func woke(at now: Double, after slept: Double, byByte: Bool) {
      if standsStill { ends += slept }
      if byByte || ends <= now { run(at: now) }
    }

    func observation(at now: Double) -> Observation {
      var thread = ObservedThread.waiting(.sources, for: ends - now)
      thread.course = standsStill ? .standsStill : .goesOn
      return Observation([thread], [.line(1)])
    }
  }

  /// The longest time between two registrations in two hours. A byte comes every so often.
  private static func longest(
    _ client: Client, floor: Double, bytesEvery seconds: Double
  ) -> Double {
    var (script, client) = (Script.observed { $0.settings.timers = .floor(Interval(floor)) }, client)
    script.find("server")
    client.run(at: 2)
    var byte = seconds
    while script.now < Moment(7200) {
      let began = (script.now - Moment(0)).seconds
      client.awake(until: began)
      if script.observe(client.observation(at: began)).hasPrefix("watch") {
        script.feed(.frozen(script.id("server"), script.freezeTicket("server")))
        while byte <= began { byte += seconds }
        script.pass(to: min(byte, script.timer.map { ($0 - Moment(0)).seconds } ?? byte))
        let byByte = script.state("server") == .suspended
        if byByte { script.ready("server", .data) }
        let now = (script.now - Moment(0)).seconds
        client.woke(at: now, after: now - began, byByte: byByte)
      }
      _ = script.nextObservation()
    }
    return client.longest
  }

  @Test(arguments: [false, true])
  func `a floor of what is between renewal and expiry is in time`(standsStill: Bool) {
    for (period, floor) in [(45, 15), (48, 12), (54, 6)] as [(Double, Double)] {
      for (other, seconds) in [(7, 11), (13, 29), (31, 17), (500, 900), (500, 52)] as [(Double, Double)] {
        let client = Client(period: period, other: other, standsStill: standsStill)
        #expect(Self.longest(client, floor: floor, bytesEvery: seconds) <= 60.1)
      }
    }
  }

  @Test func `with a longer one it is late by no more than the floor`() {
    let client = Client(period: 54, other: 500, standsStill: false)
    let longest = Self.longest(client, floor: 15, bytesEvery: 52)
    #expect(longest > 60 && longest <= 69)
  }
}

extension Script {
  /// The moment at which the sleeper is woken for its timer.
  fileprivate var timer: Moment? { engine.program(id("server"), at: now)?.timer?.latest }
}
