import LullEngine
import TestSupport
import Testing

/// Deep buffers: the program sleeps while its music plays, and is woken to fill its buffers.
@Suite(.bounded) struct RefillTests {
  private let wakes = ["thaw player", "player: woke, refill"]

  /// A program that is asleep with a deep session, which is sounding.
  private func sleeper(isHeard: Bool = true) -> Script {
    var script = Script()
    script.player { $0.isDeep = true }
    script.hear("player", 1, .began)
    if isHeard { script.sounds("player", deep: true) }
    script.frozen("player")
    return script
  }

  @Test func `a buffer that fell silent is filled in two seconds, for ten minutes`() {
    var script = sleeper()
    script.quiet("player", deep: true)
    script.pass(to: 599)
    #expect(script.hear("player", 1, .low) == wakes)
    #expect(script.pass(to: 602) == ["601 s: freeze player"])
    script.frozen("player")
    #expect(script.hear("player", 1, .low) == [])
  }

  @Test(arguments: [true, false])
  func `a tiny buffer of silence, and an end that is waited for again and again, let it sleep nine tenths`(
    isDeep: Bool
  ) throws {
    var script = isDeep ? sleeper() : Script()
    if !isDeep {
      script.playing()
      script.hear("player", 1, .ended)
    }
    script.quiet("player", deep: isDeep)
    if !isDeep { script.frozen("player") }
    script.pass(to: 30)
    let before = try script.view("player").asleep
    let reports: [SessionReport] = isDeep ? [.filled, .low] : [.drained]
    for tick in 1...2400 {
      script.pass(to: 30 + Double(tick) * 0.1)
      if script.state("player") == .suspended { for report in reports { script.hear("player", 1, report) } }
      if try script.view("player").isFreezing { script.frozen("player") }
    }
    #expect(try (script.view("player").asleep - before).seconds >= 240 * 0.9)
  }

  @Test
  func `a program that waits for the end of what nobody hears is woken when it has come, for ten minutes`()
    throws
  {
    var script = Script()
    script.playing()
    script.hear("player", 1, .ended)
    script.quiet("player")
    script.frozen("player")
    script.pass(to: 599)
    #expect(script.hear("player", 1, .drained) == wakes)
    #expect(try script.view("player").leases.map(\.ends) == [Moment(601)])
    script.pass(to: 601)
    script.frozen("player")
    #expect(script.hear("player", 1, .drained) == [])
  }

  @Test func `a program that slept while its sound had no device is woken when there is one again`() {
    var script = Script()
    script.player()
    script.hear("player", 1, .began)
    script.sounds("player")
    script.pass(to: 20)
    script.quiet("player")
    script.frozen("player")
    script.pass(to: 60)
    #expect(script.hear("player", 1, .resumed) == wakes)
    script.hear("player", 1, .ended)
    script.pass(to: 72)
    script.frozen("player")
    #expect(script.hear("player", 1, .resumed) == [])
  }

  @Test func `a program whose session is given up in its sleep is woken, heard or not`() {
    var script = sleeper(isHeard: false)
    script.pass(to: 30)
    #expect(script.hear("player", 1, .cut) == wakes)
    script.pass(to: 32)
    script.frozen("player")
    // Not again and again; but what was put off comes, though the session is over.
    #expect(script.hear("player", 1, .cut) == [])
    script.close("player", 1)
    #expect(script.pass(to: 51) == ["50 s: thaw player", "50 s: player: woke, refill"])
  }

  @Test func `a program that opens sessions in vain for ever is told for ten minutes, and after a rest`()
    throws
  {
    var script = sleeper(isHeard: false)
    script.pass(to: 30)
    let before = try script.view("player").asleep
    for second in 31...3630 {
      script.pass(to: Double(second))
      if script.state("player") == .suspended { script.hear("player", 1, .cut) }
      if try script.view("player").isFreezing { script.frozen("player") }
    }
    #expect(try (script.view("player").asleep - before).seconds > 3600 - 80)
    script.pass(to: 4231)
    #expect(script.hear("player", 1, .cut) == wakes)
  }

  @Test func `what is held is not filled until it is heard again`() {
    var script = sleeper()
    script.call("phone", 2)
    #expect(script.hear("player", 1, .low) == [])
    #expect(script.hangUp("phone", 2).contains("player: woke, refill"))
  }
}
