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
}
