import LullEngine
import TestSupport
import Testing

/// The sound that keeps a program awake, and the sound that does not.
@Suite(.bounded) struct SoundTests {
  @Test func `it is awake while it is heard, to the end of the hangover`() throws {
    var script = Script()
    script.playing()
    #expect(try script.leases("player") == [.audible])
    #expect(script.pass(to: 3600) == [])
    script.quiet("player", 8)
    #expect(try script.view("player").leases.map(\.ends) == [Moment(3608)])
    #expect(script.pass(to: 3609) == ["3608 s: freeze player"])
  }

  @Test func `a pause in which it falls asleep is remembered, and the end of its sound is none`() throws {
    var script = Script()
    script.playing()
    script.pass(to: 100)
    // It was heard up to 98 s.
    script.quiet("player", 10)
    script.pass(to: 110)
    #expect(try script.view("player").cutOffPause == nil)
    script.frozen("player")
    #expect(try script.view("player").cutOffPause == Interval.seconds(12))
    script.command("player", .wake)
    #expect(try script.view("player").cutOffPause == Interval.seconds(12))
    script.sounds("player")
    script.hear("player", 1, .ended)
    script.quiet("player", 0)
    script.done("player")
    script.frozen("player")
    #expect(try script.view("player").cutOffPause == nil)
  }

  @Test func `sound that is told of after the freeze wakes it`() throws {
    var script = Script()
    script.player()
    script.frozen("player")
    #expect(script.hear("player", 1, .began) == ["thaw player", "player: woke, refill"])
    #expect(try script.leases("player") == [.audible, .refill])
  }

  @Test func `a suspend is refused while it is heard`() {
    var script = Script()
    script.playing()
    script.command("player", .suspend)
    #expect(script.refusal == .busy(.audible))
  }

  @Test func `a new device is told at once, or at the thaw, to whoever has a session`() {
    var script = Script()
    script.launched("idle", .audio)
    script.launched("active", .audio)
    script.open("active")
    script.player()
    script.frozen("player")
    let told = ["active: route", "active: changed, route", "idle: changed, route"]
    #expect(script.feed(.routeChanged) == told)
    #expect(script.feed(.routeChanged) == told)
    #expect(
      script.command("player", .wake) == [
        "ok", "thaw player", "player: route", "player: changed, route", "player: woke, operator",
      ])
    script.done("player")
    script.frozen("player")
    #expect(script.command("player", .wake) == ["ok", "thaw player", "player: woke, operator"])
  }

  @Test func `a command that plays keeps its run time, heard or not`() {
    var script = Script()
    script.run("mpd") { $0.settings.modes = [.voip, .audio] }
    for second in [1.0, 2] {
      script.pass(to: second)
      script.frozen("mpd")
    }
    script.command("mpd", .wake)
    script.open("mpd")
    script.hear("mpd", 1, .began)
    script.pass(to: 13)
    script.command("mpd", .wake)
    #expect(script.pass(to: 22.9) == [])
    #expect(script.pass(to: 23) == ["23 s: freeze mpd"])
  }
}
