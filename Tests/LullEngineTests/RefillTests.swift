import LullEngine
import Testing

/// Deep buffers: the program sleeps while its music plays, and is woken to fill them.
@Suite struct RefillTests {
  private let wakes = ["thaw player", "player: woke, refill"]

  /// Asleep with a deep session, which is heard.
  private func sleeper(isHeard: Bool = true) -> Script {
    var script = Script()
    script.player { $0.isDeep = true }
    script.hear("player", 1, .began)
    if isHeard { script.hear("player", 1, .sounding) }
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

  @Test func `a buffer that is silent is filled in two seconds, for ten minutes`() {
    var script = sleeper(isHeard: false)
    script.pass(to: 599)
    #expect(script.hear("player", 1, .low) == wakes)
    #expect(script.pass(to: 602) == ["601 s: freeze player"])
    script.frozen("player")
    #expect(script.hear("player", 1, .low) == [])
  }

  @Test func `what is heard is filled however long it goes on`() {
    var script = sleeper()
    script.pass(to: 3600)
    #expect(script.hear("player", 1, .low) == wakes)
  }

  @Test func `the ten minutes count from the last sound`() {
    var script = sleeper()
    script.pass(to: 1000)
    script.hear("player", 1, .quiet(.seconds(8)))
    script.pass(to: 1599)
    #expect(script.hear("player", 1, .low) == wakes)
  }

  @Test func `a silent program that lets its buffer run dry is not filled for ever`() {
    var script = sleeper(isHeard: false)
    var last = 0.0
    for at in stride(from: 3.0, to: 2000, by: 3) {
      script.pass(to: at)
      guard script.hear("player", 1, .low) == wakes else { continue }
      last = at
      script.hear("player", 1, .ended, .filled, .began)
      script.pass(to: at + 2)
      script.frozen("player")
    }
    #expect(last == 597)
  }

  @Test func `what ran low while it was awake wakes it when it falls asleep`() {
    var script = Script()
    script.player { $0.isDeep = true }
    script.hear("player", 1, .began, .sounding)
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
    script.hear("player", 1, .began, .sounding)
    script.command("player", .wake)
    script.hear("player", 1, .low, .filled)
    script.done("player")
    #expect(script.frozen("player") == [])
  }

  @Test func `a buffer that runs low during the freeze takes it back`() {
    var script = Script()
    script.player { $0.isDeep = true }
    script.hear("player", 1, .began, .sounding)
    #expect(script.hear("player", 1, .low) == wakes)
  }

  @Test func `one that is silent for long does not hide another one that ran low`() {
    var script = Script()
    script.player { $0.isDeep = true }
    script.frozen("player")
    script.pass(to: 700)
    script.command("player", .wake)
    script.open("player") { $0.isDeep = true }
    script.hear("player", 2, .sounding)
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
    script.player()
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
    script.hear("player", 1, .began, .sounding)
    script.pass(to: 20)
    script.hear("player", 1, .quiet(.zero))
    script.frozen("player")
    script.pass(to: 60)
    #expect(script.hear("player", 1, .resumed) == wakes)
    script.hear("player", 1, .ended)
    script.pass(to: 71)
    script.frozen("player")
    #expect(script.hear("player", 1, .resumed) == [])
  }

  @Test func `what is held is not filled until it is heard again`() {
    var script = sleeper()
    script.call("phone", 2)
    #expect(script.hear("player", 1, .low) == [])
    #expect(script.hear("phone", 2, .ended).contains("player: woke, refill"))
  }

  @Test func `a game in the background is not woken to fill its buffer`() {
    var script = Script()
    script.launched("game", .voip)
    script.open("game") { $0.isDeep = true }
    script.hear("game", 1, .began, .sounding, .low)
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
