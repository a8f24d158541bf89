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

  @Test func `it sleeps while it is heard`() throws {
    let script = sleeper()
    #expect(script.state("player") == .suspended)
    #expect(try script.leases("player") == [])
  }

  @Test func `it is woken when its buffer runs low, and sleeps when it is done`() throws {
    var script = sleeper()
    script.pass(to: 20)
    #expect(script.hear("player", 1, .low) == wakes)
    #expect(try script.view("player").leases.map(\.ends) == [Moment(30)])
    script.hear("player", 1, .filled)
    #expect(script.done("player") == ["freeze player"])
    #expect(script.frozen("player") == [])
    #expect(script.hear("player", 1, .low) == wakes)
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

  @Test func `what was never heard is filled in the start grace only`() {
    var script = sleeper(isHeard: false)
    script.pass(to: 11)
    #expect(script.hear("player", 1, .low) == wakes)
    #expect(script.pass(to: 14) == ["13 s: freeze player"])
    script.frozen("player")
    #expect(script.hear("player", 1, .low) == [])
    #expect(script.hear("player", 1, .ended, .filled, .began, .low) == [])
    script.pass(to: 60)
    #expect(script.hear("player", 1, .ended, .began, .low) == wakes)
  }

  @Test func `a tiny buffer of silence leaves it asleep nine tenths of the time`() throws {
    var script = sleeper()
    script.quiet("player", deep: true)
    script.pass(to: 30)
    let before = try script.view("player").asleep
    for tick in 1...2400 {
      script.pass(to: 30 + Double(tick) * 0.1)
      if script.state("player") == .suspended { script.hear("player", 1, .filled, .low) }
      if try script.view("player").isFreezing { script.frozen("player") }
    }
    #expect(try (script.view("player").asleep - before).seconds >= 240 * 0.9)
  }

  @Test func `what takes a moment to fill is filled as often as it runs low`() {
    var script = sleeper()
    script.quiet("player", deep: true)
    for second in 1...100 {
      script.pass(to: Double(second))
      #expect(script.hear("player", 1, .low) == wakes)
      script.pass(to: Double(second) + 0.02)
      script.hear("player", 1, .filled)
      script.done("player")
      script.frozen("player")
    }
  }

  @Test func `what runs low too soon is filled when the program has slept for long enough`() {
    var script = sleeper()
    script.quiet("player", deep: true)
    script.pass(to: 20)
    #expect(script.hear("player", 1, .low) == wakes)
    script.pass(to: 22)
    script.frozen("player")
    script.hear("player", 1, .filled)
    script.pass(to: 25)
    #expect(script.hear("player", 1, .low) == [])
    #expect(script.pass(to: 40) == ["40 s: thaw player", "40 s: player: woke, refill"])
  }

  @Test func `the end of sound that nobody heard is no reason to fill a buffer`() {
    var script = sleeper(isHeard: false)
    script.pass(to: 100)
    script.quiet("player", deep: true)
    #expect(script.hear("player", 1, .low) == [])
  }

  @Test func `a program that takes its time to fall asleep is put off for no longer`() {
    var script = sleeper()
    script.quiet("player", deep: true)
    script.pass(to: 20)
    script.hear("player", 1, .low)
    script.command("player", .wake)
    script.pass(to: 30)
    script.hear("player", 1, .filled)
    script.frozen("player")
    #expect(script.hear("player", 1, .low) == [])
    #expect(script.pass(to: 40) == ["40 s: thaw player", "40 s: player: woke, refill"])
  }

  @Test func `sound that is not deep and waits for its end again and again sleeps as long`() throws {
    var script = Script()
    script.playing()
    script.hear("player", 1, .ended)
    script.quiet("player")
    script.frozen("player")
    script.pass(to: 30)
    let before = try script.view("player").asleep
    for tick in 1...2400 {
      script.pass(to: 30 + Double(tick) * 0.1)
      if script.state("player") == .suspended { script.hear("player", 1, .drained) }
      if try script.view("player").isFreezing { script.frozen("player") }
    }
    #expect(try (script.view("player").asleep - before).seconds >= 240 * 0.9)
  }

  @Test func `after a pause of an hour it is filled again`() {
    var script = sleeper()
    script.quiet("player", 10, deep: true)
    script.hear("player", 1, .ended)
    script.pass(to: 3600)
    script.hear("player", 1, .began)
    script.pass(to: 3602)
    script.sounds("player", deep: true)
    script.pass(to: 9000)
    #expect(script.hear("player", 1, .low) == wakes)
  }

  @Test func `what is heard is filled however long it goes on`() {
    var script = sleeper()
    script.pass(to: 3600)
    #expect(script.hear("player", 1, .low) == wakes)
  }

  @Test func `the ten minutes count from the last sound`() {
    var script = sleeper()
    script.pass(to: 1000)
    script.quiet("player", 8, deep: true)
    script.pass(to: 1599)
    #expect(script.hear("player", 1, .low) == wakes)
  }

  @Test func `a silent program that lets its buffer run dry is not filled for ever`() throws {
    var script = sleeper()
    script.quiet("player", deep: true)
    for at in stride(from: 3.0, to: 2000, by: 3) {
      script.pass(to: at)
      script.hear("player", 1, .ended, .filled, .began, .low)
      guard script.state("player") != .suspended else { continue }
      script.pass(to: at + 2)
      script.frozen("player")
    }
    #expect(try script.view("player").asleep > .seconds(1800))
  }

  @Test func `what ran low while it was awake wakes it when it falls asleep`() {
    var script = Script()
    script.player { $0.isDeep = true }
    script.hear("player", 1, .began)
    script.sounds("player", deep: true)
    script.command("player", .wake)
    #expect(script.hear("player", 1, .low) == [])
    #expect(script.done("player") == ["freeze player"])
    #expect(script.frozen("player") == wakes)
    script.done("player")
    #expect(script.frozen("player") == [])
  }

  @Test func `what was filled while it was awake does not wake it`() {
    var script = Script()
    script.player { $0.isDeep = true }
    script.hear("player", 1, .began)
    script.sounds("player", deep: true)
    script.command("player", .wake)
    script.hear("player", 1, .low, .filled)
    script.done("player")
    #expect(script.frozen("player") == [])
  }

  @Test func `a buffer that runs low during the freeze takes it back`() {
    var script = Script()
    script.player { $0.isDeep = true }
    script.hear("player", 1, .began)
    script.sounds("player", deep: true)
    #expect(script.hear("player", 1, .low) == wakes)
  }

  @Test func `one that is silent for long does not hide another one that ran low`() {
    var script = Script()
    script.player { $0.isDeep = true }
    script.frozen("player")
    script.pass(to: 700)
    script.command("player", .wake)
    script.open("player") { $0.isDeep = true }
    script.sounds("player", deep: true)
    script.hear("player", 1, .low)
    script.hear("player", 2, .low)
    script.done("player")
    #expect(script.frozen("player") == wakes)
    #expect(script.pass(to: 705) == [])
  }

  @Test func `a buffer that is not deep wakes nobody`() {
    var script = Script()
    script.player()
    script.frozen("player")
    #expect(script.hear("player", 1, .low) == [])
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

  @Test func `a game in the background is not woken to fill its buffer`() {
    var script = Script()
    script.launched("game", .voip)
    script.open("game") { $0.isDeep = true }
    script.hear("game", 1, .began, .low)
    script.sounds("game", deep: true)
    script.sendToBackground("game")
    #expect(script.frozen("game") == [])
    #expect(script.hear("game", 1, .low) == [])
  }

  @Test func `a deep buffer has no start grace`() {
    var script = Script()
    script.launched("player", .audio)
    script.open("player") { $0.isDeep = true }
    script.hear("player", 1, .began)
    #expect(script.sendToBackground("player").contains("freeze player"))
  }
}
