import LullEngine
import TestSupport
import Testing

/// A program that is at work is not even frozen.
@Suite(.bounded) struct LookTests {
  private static let write = Look.Activity.moves(process: 7, thread: 8, call: "write")
  private static let works = Look.Activity.works(process: 7, thread: 8)
  private static let waits = Look.Activity.waits

  @Test(arguments: [
    (write, "not-idle"), (works, "not-idle"), (.unreadable(.narrow), "unwatchable"), (waits, ""),
  ])
  func `a command at work is refused before its freeze, with the reason`(
    activity: Look.Activity, refusal: String
  ) {
    var script = Script.observed()
    #expect(script.look("server", activity) == refusal)
    let details: [Detail] = [
      .call(process: 7, thread: 8, "write"), .thread(process: 7, thread: 8), .unwatchable(.narrow), .none,
    ]
    #expect(details.contains(script.detail))
    guard !refusal.isEmpty else { return #expect(script.observe(.idle) == "watch server") }
    #expect(script.nextObservation() == 2.025)
  }

  @Test func `the trial of a command comes when it is frozen`() {
    var script = Script()
    script.run("server")
    script.pass(to: 1)
    #expect(script.look("server", Self.write) == "not-idle")
    script.pass(to: 1.1)
    #expect(script.look("server", Self.waits) == "")
    script.frozen("server")
    #expect(script.takeNotes().contains(.trialFrozen))
  }

  @Test func `what the look before the trial costs does not put off the first sleep`() {
    var script = Script()
    script.run("server")
    script.pass(to: 1)
    #expect(script.look("server", Self.waits, cost: .milliseconds(100)) == "")
    script.frozen("server")
    #expect(script.takeNotes().contains(.trialFrozen))
    #expect(script.nextObservation() == 2)
  }

  @Test(arguments: [(write, "not-idle"), (works, "not-idle"), (waits, "")])
  func `a program on the library at work`(activity: Look.Activity, refusal: String) {
    var script = Script()
    script.launched("phone")
    script.sendToBackground("phone")
    #expect(script.look("phone", activity) == refusal)
  }

  @Test(arguments: [(write, "not-idle"), (works, ""), (.unreadable(.narrow), "")])
  func `a program that was told to sleep may work, but no call of it is cut short`(
    activity: Look.Activity, refusal: String
  ) {
    var script = Script()
    script.run("tool") { $0.settings.modes = [] }
    script.command("tool", .suspend)
    #expect(script.look("tool", activity) == refusal)
  }

  @Test func `a stale look does nothing`() {
    var script = Script.observed()
    let ticket = script.freezeTicket("server")
    script.sleeps(.idle)
    var look = Look()
    look.activity = Self.write
    #expect(script.feed(.looked(script.id("server"), ticket, look)) == [])
    #expect(script.state("server") == .suspended)
  }

  @Test func `the processor time of the look puts the next look off`() {
    var script = Script.observed()
    #expect(script.look("server", Self.works, cost: .milliseconds(1)) == "not-idle")
    #expect(script.nextObservation() == 2.2)
    #expect(script.look("server", Self.waits, cost: .milliseconds(1)) == "")
    let observation = Observation([.waiting(.works)]).with { $0.cost = .milliseconds(2) }
    #expect(script.observe(observation) == "not-idle")
    #expect(script.nextObservation() == 2.8)
    #expect(script.look("server", Self.works, cost: .seconds(1)) == "not-idle")
    #expect(script.nextObservation() == 62.8)
  }

  @Test func `the time of a look at many threads is not that of the freeze`() {
    var script = Script.observed()
    #expect(script.pass(to: 3.9) == [])
    #expect(script.look("server", Self.waits) == "")
    #expect(script.pass(to: 5.899) == [])
    #expect(script.pass(to: 5.9) == ["5.9 s: thaw server"])
  }

  @Test(arguments: [(9, ""), (10, "not-idle"), (180, "not-idle")])
  func `the use of the processor over a window is work`(percent: Int64, refusal: String) {
    var script = Script.observed()
    #expect(script.look("server", Self.waits, used: .seconds(100)) == "")
    #expect(script.observe(.idle.with { $0.isAsking = true }) == "asking")
    script.jump(to: 3)
    script.pass(to: 3)
    let used = Interval.seconds(100) + .milliseconds(10 * percent)
    #expect(script.look("server", Self.waits, used: used) == refusal)
    if !refusal.isEmpty { #expect(script.detail == .processor(percent: percent)) }
  }

  @Test func `less than a window is the handling of a wake`() {
    var script = Script.observed()
    script.find("server", .opened)
    #expect(script.look("server", Self.waits, used: .zero) == "")
    script.sleeps(.idle)
    script.pass(to: 10)
    script.ready("server")
    script.pass(to: 10.025)
    #expect(script.look("server", Self.waits, used: .milliseconds(20)) == "")
    script.sleeps(.idle)
  }

  @Test func `a program that ticks is looked at again when its window is over`() {
    var script = Script.observed()
    script.find("server", .opened)
    let ticking = Observation([.waiting(.sources, for: 0.1)], [.line(1)])
    #expect(script.look("server", Self.waits, used: .zero) == "")
    #expect(script.observe(ticking) == "ticking")
    #expect(script.nextObservation() == 2.125)
    #expect(script.look("server", Self.waits, used: .milliseconds(60)) == "ticking")
    #expect(script.nextObservation() == 2.2)
    #expect(script.look("server", Self.waits, used: .milliseconds(100)) == "not-idle")
    #expect(script.nextObservation() == 2.3)
    #expect(script.look("server", Self.waits, used: .milliseconds(101)) == "ticking")
    script.pass(to: 4)
    #expect(script.look("server", Self.waits, used: .milliseconds(102)) == "")
    script.sleeps(ticking)
    // A sleeper uses nothing: the window begins with the wake.
    script.pass(to: 10)
    script.ready("server")
    script.pass(to: 10.025)
    #expect(script.look("server", Self.waits, used: .milliseconds(112)) == "ticking")
    #expect(script.nextObservation() == 10.2)
    #expect(script.look("server", Self.waits, used: .milliseconds(115)) == "")
  }
}

extension Script {
  /// The refusal by the look before a freeze; empty when the program may be frozen.
  fileprivate mutating func look(
    _ name: String, _ activity: Look.Activity, used: Interval? = nil, cost: Interval = .zero
  ) -> String {
    _ = takeNotes()
    var look = Look()
    (look.activity, look.used, look.cost) = (activity, used, cost)
    let effects = feed(.looked(id(name), freezeTicket(name), look))
    for case .freezeRefused(let why, _) in takeNotes() {
      #expect(effects.first == "thaw \(name)")
      return why.rawValue
    }
    #expect(effects == [])
    return ""
  }
}
