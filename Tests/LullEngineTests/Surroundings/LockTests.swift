import LullEngine
import TestSupport
import Testing

/// App States and Multitasking, "Responding to Interruptions".
@Suite(.bounded) struct LockTests {
  private let closes = "phone: protectedDataWillBecomeUnavailable"
  private let opens = "phone: protectedDataDidBecomeAvailable"

  private func lock(_ script: inout Script, _ isOn: Bool = true) -> [String] {
    script.feed(.surrounding(.lock(isOn)))
  }

  @Test func `an active program goes to the background, sleeps, and is back at the unlock`() {
    var script = Script()
    script.launched("phone")
    #expect(lock(&script) == ["phone: changed, lock", "phone: willResignActive"])
    #expect(script.state("phone") == .active)
    #expect(script.did("phone") == [closes])
    #expect(script.state("phone") == .inactive)
    #expect(script.did("phone") == ["phone: didEnterBackground"])
    #expect(script.did("phone") == ["freeze phone"])
    script.frozen("phone")
    #expect(script.pass(to: 3600) == [])
    #expect(lock(&script, false) == ["thaw phone", "phone: changed, lock", opens])
    #expect(script.did("phone") == ["phone: willEnterForeground"])
    #expect(script.did("phone") == ["phone: didBecomeActive"])
    #expect(script.state("phone") == .active)
  }

  @Test func `a program that can be heard stays until it is silent`() {
    var script = Script()
    script.launched("phone") { $0.settings.modes = [.audio] }
    script.open("phone")
    script.hear("phone", 1, .began)
    script.sounds("phone")
    _ = lock(&script)
    #expect(script.did("phone") == [closes])
    #expect(script.did("phone") == [])
    #expect(script.state("phone") == .inactive)
    script.quiet("phone")
    #expect(script.pass(to: 15) == ["12 s: phone: didEnterBackground"])
  }

  @Test func `one that ends in place of a sleep is not ended by a lock`() {
    var script = Script()
    script.launched("phone") { $0.settings.exitsOnSuspend = true }
    _ = lock(&script)
    #expect(script.did("phone") == [closes])
    #expect(script.did("phone") == [])
    #expect(script.state("phone") == .inactive)
  }

  @Test func `a lock within a return to the foreground leads back to the background`() {
    var script = Script()
    script.launched("phone")
    script.command("phone", .background)
    script.did("phone")
    script.did("phone")
    #expect(script.command("phone", .foreground).last == "phone: willEnterForeground")
    #expect(lock(&script) == ["phone: changed, lock"])
    #expect(script.did("phone") == [closes])
    #expect(script.did("phone") == ["phone: didEnterBackground"])
    #expect(script.did("phone") == ["freeze phone"])
    script.frozen("phone")
    #expect(script.command("phone", .foreground) == ["ok"])
    #expect(lock(&script, false) == ["thaw phone", "phone: changed, lock", opens])
    #expect(script.did("phone") == ["phone: willEnterForeground"])
    #expect(script.did("phone") == ["phone: didBecomeActive"])
  }

  @Test func `a sleeper sleeps on, and hears of the lock at its wake`() {
    var script = Script()
    script.asleep("phone")
    #expect(lock(&script) == [])
    #expect(
      script.command("phone", .wake) == [
        "ok", "thaw phone", "phone: changed, lock", "phone: woke, operator", closes,
      ])
    script.did("phone")
    #expect(script.feed(.done(script.id("phone"), script.wakeTicket("phone"))) == ["freeze phone"])
  }

  @Test func `an unlock in the middle of the way lets both messages come`() {
    var script = Script()
    script.launched("phone")
    _ = lock(&script)
    #expect(lock(&script, false) == ["phone: changed, lock"])
    #expect(script.did("phone") == ["phone: didBecomeActive"])
    #expect(script.did("phone") == [])
    #expect(script.state("phone") == .active)
  }

  @Test func `an unlock that it slept through comes before the foreground`() {
    var script = Script()
    script.launched("phone")
    _ = lock(&script)
    for _ in 0..<2 { script.did("phone") }
    script.command("phone", .background)
    script.did("phone")
    script.frozen("phone")
    _ = lock(&script, false)
    #expect(script.command("phone", .foreground).last == opens)
    #expect(script.did("phone") == ["phone: willEnterForeground"])
    #expect(script.did("phone") == ["phone: didBecomeActive"])
  }

  @Test func `launched behind the lock it waits in the background for the unlock`() {
    var script = Script()
    _ = lock(&script)
    script.register("phone")
    script.did("phone")
    #expect(script.did("phone") == [closes])
    #expect(script.did("phone") == ["phone: didEnterBackground"])
    script.did("phone")
    #expect(lock(&script, false).last == opens)
    #expect(script.did("phone") == ["phone: willEnterForeground"])
    #expect(script.did("phone") == ["phone: didBecomeActive"])
  }
}
