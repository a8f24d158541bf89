import LullEngine
import TestSupport
import Testing

/// App States and Multitasking, "Processing Queued Notifications at Wakeup Time".
@Suite(.bounded) struct ChangeTests {
  private let told = "phone: changed, "

  @Test func `a sleeper is told once at its wake, after the thaw and before the reason`() {
    var script = Script()
    script.feed(.surrounding(.zone("Europe/Berlin")))
    script.asleep("phone")
    for _ in 0..<3 { #expect(script.feed(.surrounding(.network)) == []) }
    #expect(script.feed(.surrounding(.zone("Asia/Tokyo"))) == [])
    #expect(script.feed(.pressure(.warning)) == [])
    #expect(
      script.command("phone", .wake) == [
        "ok", "thaw phone", told + "network zone memory", "phone: woke, operator",
      ])
    #expect(script.feed(.surrounding(.zone("Asia/Tokyo"))) == [])
  }

  @Test func `a command is told nothing`() {
    var script = Script()
    script.register("nc", []) { $0.speaks = false }
    #expect(script.feed(.surrounding(.network)) == [])
    #expect(script.feed(.surrounding(.lock(true))) == [])
    #expect(script.state("nc") == .active)
  }

  @Test func `a new day is told to who is awake at midnight, and to a sleeper at its wake`() {
    var script = Script()
    script.ask(.localZone(.utc()))
    script.feed(.wallClock(offset: 86_390_000_000_000))
    script.asleep("phone")
    script.launched("game")
    #expect(script.pass(to: 3600) == ["10 s: game: changed, time"])
    #expect(script.command("phone", .wake).contains(told + "time"))
    // Nobody is awake at the second midnight, and nothing is due for it.
    script.feed(.exited(script.id("game"), .exited(0)))
    script.done("phone")
    script.frozen("phone")
    #expect(script.engine.deadline == nil)
  }

  @Test func `the begin of summer time is told as the time`() throws {
    let file = ScheduleTests.zone(hoursEast: 1, rule: "CET-1CEST,M3.5.0,M10.5.0/3")
    let rule = try #require(ZoneRules(name: nil, file: file))
    var script = Script()
    script.ask(.localZone(rule))
    // 2026-03-29 00:59:50 UTC; the clocks of Berlin go from 2 to 3 ten seconds later.
    script.feed(.wallClock(offset: 1_774_745_990_000_000_000))
    script.launched("game")
    #expect(script.pass(to: 60) == ["10 s: game: changed, time"])
  }
}
