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

  @Test func `a call makes what mixes quieter and tells it nothing`() {
    var script = Script()
    script.launched("player", .audio)
    script.open("player") { $0.mixesWithOthers = true }
    script.hear("player", 1, .began)
    #expect(script.passingCall(script.call("phone", 2)) == ["duck player's session 1"])
    #expect(script.passingCall(script.hangUp("phone", 2)) == ["play player's session 1"])
  }

  @Test func `a sleeping program is told nothing, and at its thaw the latest, before why it woke`() {
    var script = Script()
    script.player { $0.isDeep = true }
    script.hear("player", 1, .began)
    script.sounds("player", deep: true)
    script.frozen("player")
    #expect(script.call("phone", 2) == ["hold player's session 1"])
    let effects = script.hangUp("phone", 2)
    #expect(effects == ["thaw player", resumes, "player: woke, refill", "play player's session 1"])
  }

  @Test func `what it slept through and knows already is not told again`() {
    var script = Script()
    script.playing()
    script.call("phone", 2)
    script.quiet("player", 10)
    script.pass(to: 12)
    script.frozen("player")
    #expect(script.call("phone", 2) == [])
    #expect(script.command("player", .wake) == ["ok", "thaw player", "player: woke, operator"])
  }

  @Test func `a program on its way to sleep is told when the freeze is taken back`() {
    var script = Script()
    script.player { $0.isDeep = true }
    script.hear("player", 1, .began)
    #expect(script.call("phone", 2) == ["hold player's session 1"])
    #expect(script.refuse("player") == ["thaw player", began])
  }

  @Test func `a command that is tried is told after the trial`() {
    var script = Script()
    script.run("player") { $0.settings.modes = .audio }
    script.open("player")
    script.hear("player", 1, .began)
    script.pass(to: 1)
    #expect(script.call("phone", 2) == ["hold player's session 1"])
    #expect(script.frozen("player") == ["thaw player", began])
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

  @Test func `a phone is not interrupted by another one, and its own music goes on`() {
    var script = Script()
    script.call("phone", 1)
    script.open("phone")
    #expect(script.hear("phone", 2, .began) == [])
    #expect(script.call("other", 3) == [])
  }

  @Test func `of music that began last is heard, and the other waits to be started anew`() {
    var script = Script()
    script.playing()
    script.launched("second", .audio)
    script.open("second")
    #expect(script.hear("second", 2, .began) == [began, "hold player's session 1"])
    #expect(script.hear("second", 2, .ended) == [stays])
    #expect(script.hear("player", 1, .ended) == ["play player's session 1"])
    #expect(script.hear("player", 1, .began) == [])
  }

  @Test func `music that is started anew has the time of a beginning, however it was heard before`() throws {
    var script = Script()
    script.playing()
    script.playing("second", 2)
    script.quiet("player", 10)
    script.pass(to: 100)
    script.hear("player", 1, .began)
    #expect(try script.view("player").leases.map(\.ends) == [Moment(112)])
  }

  @Test func `the foreground's music comes first`() {
    var script = Script()
    script.launched("front", .audio)
    script.open("front")
    script.hear("front", 1, .began)
    script.sounds("front")
    script.launched("player", .audio)
    script.open("player")
    script.beginTask("player")
    script.sendToBackground("player")
    let told = "player: interruption of session 2 began"
    #expect(
      script.hear("player", 2, .began).filter { $0 != "thaw player" } == [told, "hold player's session 2"])
    #expect(
      script.hear("player", 2, .ended).first == "player: interruption of session 2 ended(shouldResume: false)"
    )
    #expect(script.hear("player", 2, .began) == [told, "hold player's session 2"])
    // Having lost anew, the music is not heard again when the other program goes into the background.
    #expect(!script.leaveForeground("front").contains("play player's session 2"))
  }

  @Test func `one that lost twice is told twice, in turn`() {
    var script = Script()
    script.playing()
    script.launched("second", .audio)
    script.open("second")
    script.hear("second", 2, .began)
    #expect(script.hear("second", 2, .ended) == [stays])
    #expect(script.hear("second", 2, .began, .ended) == [])
    #expect(script.hear("player", 1, .began) == ["play player's session 1"])
    #expect(script.hear("second", 2, .began) == [began, "hold player's session 1"])
    #expect(script.hear("second", 2, .ended) == [stays])
  }

  @Test func `an interruption that ends while it is in the background is told in the foreground`() {
    var script = Script()
    script.launched("player", .voip)
    script.open("player", .soloAmbient)
    script.hear("player", 1, .began)
    script.call("phone", 2)
    script.sendToBackground("player")
    script.frozen("player")
    #expect(script.hangUp("phone", 2) == [])
    script.command("player", .foreground)
    #expect(script.did("player") == ["player: didBecomeActive", resumes, "play player's session 1"])
  }

  @Test func `what ducks makes the others quieter while it runs`() {
    var script = Script()
    script.playing()
    script.launched("maps", .audio)
    script.open("maps") { $0.ducksOthers = true }
    #expect(script.hear("maps", 2, .began) == ["duck player's session 1"])
    #expect(script.hear("maps", 2, .ended) == ["play player's session 1"])
  }

  @Test(arguments: ["exit", "leave", "kill", "close"])
  func `the end of a program or of its session frees the others`(way: String) {
    var script = Script()
    script.playing()
    script.call("phone", 2)
    let phone = script.id("phone")
    let effects =
      switch way {
      case "exit": script.feed(.exited(phone, .exited(0)))
      case "leave": script.feed(.leave(phone))
      case "kill":
        script.command("phone", .quit) + script.pass(to: 5)
      default: script.close("phone", 2)
      }
    #expect(
      effects.suffix(2).map { $0.replacing("5 s: ", with: "") } == [resumes, "play player's session 1"])
  }

  @Test func `nothing is said to a program that was killed`() {
    var script = Script()
    script.playing()
    script.command("player", .quit)
    script.pass(to: 5)
    #expect(script.call("phone", 2) == [])
    #expect(script.hear("player", 1, .ended, .began) + script.sounds("player") == [])
    #expect(script.feed(.routeChanged) == ["phone: route", "phone: changed, route"])
  }

  @Test func `a player that is started anew changes nobody's turn`() {
    var script = Script()
    script.playing("first", 1)
    script.call("phone", 2)
    script.playing("second", 3)
    #expect(script.hear("first", 1, .began) == [])
    #expect(script.hear("second", 3, .began) == [])
    #expect(script.hangUp("phone", 2).contains("play second's session 3"))
  }
}
