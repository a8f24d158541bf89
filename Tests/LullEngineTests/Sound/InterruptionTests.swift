import LullEngine
import TestSupport
import Testing

/// The audio focus: the program that is heard, and the news to the others.
@Suite(.bounded) struct InterruptionTests {
  private let began = "player: interruption of session 1 began"
  private let resumes = "player: interruption of session 1 ended(shouldResume: true)"
  private let stays = "player: interruption of session 1 ended(shouldResume: false)"

  @Test func `a call interrupts music, which goes on after it`() throws {
    var script = Script()
    script.playing()
    #expect(script.call("phone", 2) == [began, "hold player's session 1"])
    script.quiet("player", 10)
    #expect(try script.leases("player") == [.audible])
    #expect(script.pass(to: 13) == ["12 s: freeze player"])
    script.frozen("player")
    script.pass(to: 3600)
    #expect(
      script.hangUp("phone", 2) == [
        "thaw player", resumes, "player: woke, refill", "play player's session 1",
      ])
    // Nothing was in its ring.
    script.done("player")
    #expect(script.pass(to: 3613) == ["3612 s: freeze player"])
  }

  @Test func `silent music gets ever less time from calls that come and go`() {
    var script = Script()
    script.player()
    script.command("player", .wake)
    script.hear("player", 1, .began)
    script.done("player")
    script.pass(to: 12)
    script.frozen("player")
    var thaws: [Int] = []
    for second in 13...500 {
      if !script.pass(to: Double(second)).isEmpty { script.frozen("player") }
      script.call("phone", 2)
      guard script.hangUp("phone", 2).contains("thaw player") else { continue }
      thaws.append(second)
      script.done("player")
    }
    #expect(thaws == [60, 180, 420])
  }

  @Test func `pausing during a call gives no time`() throws {
    var script = Script()
    script.player()
    script.hear("player", 1, .began)
    script.call("phone", 2)
    script.pass(to: 12)
    script.frozen("player")
    #expect(script.hear("player", 1, .ended) == ["play player's session 1"])
    #expect(try script.leases("player") == [])
    #expect(script.command("player", .wake) == ["ok", "thaw player", stays, "player: woke, operator"])
  }

  @Test func `one that ends and another that begins in its sleep are no news`() {
    var script = Script()
    script.player()
    script.command("player", .wake)
    script.hear("player", 1, .began)
    #expect(script.call("phone", 2).contains(began))
    script.done("player")
    script.pass(to: 12)
    script.frozen("player")
    script.pass(to: 13)
    script.hangUp("phone", 2)
    script.call("phone", 2)
    #expect(script.command("player", .wake) == ["ok", "thaw player", "player: woke, operator"])
  }
}
