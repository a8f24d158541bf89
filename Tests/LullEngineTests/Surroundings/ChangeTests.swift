import LullEngine
import TestSupport
import Testing

/// App States and Multitasking, "Processing Queued Notifications at Wakeup Time".
@Suite(.bounded) struct ChangeTests {
  private let told = "phone: changed, "

  @Test func `a program that is awake is told of each change at once`() {
    var script = Script()
    script.launched("phone")
    let changes: [(Surrounding, String)] = [
      (.network, "network"), (.power(Power(.battery, percent: 80)), "power"), (.accessory, "accessory"),
      (.network, "network"),
    ]
    for (change, word) in changes { #expect(script.feed(.surrounding(change)) == [told + word]) }
    #expect(script.feed(.surrounding(.power(Power(.battery, percent: 80)))) == [])
  }

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

  @Test func `what went and came back in its sleep is no change`() {
    var script = Script()
    script.feed(.wallClock(offset: 0))
    script.feed(.surrounding(.zone("Europe/Berlin")))
    script.asleep("phone")
    script.feed(.surrounding(.zone("UTC")))
    script.feed(.surrounding(.zone("Europe/Berlin")))
    script.feed(.surrounding(.power(Power(.battery))))
    script.feed(.surrounding(.power(Power())))
    script.feed(.wallClock(offset: 3_600_000_000_000))
    script.feed(.wallClock(offset: 1))
    #expect(script.command("phone", .wake) == ["ok", "thaw phone", "phone: woke, operator"])
  }

  @Test func `a clock that was set by a second or more is news`() {
    var script = Script()
    script.feed(.wallClock(offset: 0))
    script.launched("phone")
    #expect(script.feed(.wallClock(offset: 999_999_999)) == [])
    #expect(script.feed(.wallClock(offset: 1_000_000_000)) == [told + "time"])
    #expect(script.feed(.wallClock(offset: .min)) == [told + "time"])
    #expect(script.feed(.wallClock(offset: .max)) == [told + "time"])
  }

  @Test func `settings are news to their program alone`() {
    var script = Script()
    script.launched("phone")
    script.launched("mail")
    #expect(script.feed(.surrounding(.settings(script.id("mail")))) == ["mail: changed, settings"])
    script.sendToBackground("phone")
    script.frozen("phone")
    #expect(script.feed(.surrounding(.settings(script.id("phone")))) == [])
    #expect(script.command("phone", .wake).contains(told + "settings"))
  }

  @Test func `a new program is told of its power and of the lock, and of nothing that was before it`() {
    var script = Script()
    script.feed(.surrounding(.network))
    script.feed(.surrounding(.power(Power(.mains, percent: 100))))
    script.feed(.surrounding(.lock(true)))
    #expect(
      script.register("phone") == ["ok, inactive", told + "power lock", "phone: willFinishLaunching"])
  }

  @Test func `a command is told nothing`() {
    var script = Script()
    script.register("nc", []) { $0.speaks = false }
    #expect(script.feed(.surrounding(.network)) == [])
    #expect(script.feed(.surrounding(.lock(true))) == [])
    #expect(script.state("nc") == .active)
  }

  @Test func `a freeze that is taken back tells what changed meanwhile`() {
    var script = Script()
    script.launched("phone")
    #expect(script.sendToBackground("phone") == ["freeze phone"])
    #expect(script.feed(.surrounding(.network)) == [])
    #expect(script.command("phone", .wake).contains(told + "network"))
  }
}
