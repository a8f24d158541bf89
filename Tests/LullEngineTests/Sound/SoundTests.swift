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

  @Test func `what sounds again before the end of the hangover goes on`() {
    var script = Script()
    script.playing()
    script.quiet("player", 8)
    script.pass(to: 7.9)
    script.sounds("player")
    #expect(script.pass(to: 100) == [])
  }

  @Test func `a seek and a pause change nothing of what was told`() throws {
    var script = Script()
    script.playing()
    for second in 1...60 {
      script.pass(to: Double(second))
      script.hear("player", 1, .ended)
      script.pass(to: Double(second) + 0.4)
      script.hear("player", 1, .began)
    }
    #expect(try script.view("player").leases.map(\.ends) == [nil])
    #expect(script.pass(to: 3600) == [])
    script.hear("player", 1, .ended)
    script.quiet("player", 10)
    #expect(script.pass(to: 3611) == ["3610 s: freeze player"])
  }

  @Test func `a hangover that is cut by a pause ends when it is said to`() {
    var script = Script()
    script.playing()
    script.quiet("player", 40)
    script.pass(to: 5)
    script.hear("player", 1, .ended)
    script.quiet("player", 5)
    #expect(script.pass(to: 11) == ["10 s: freeze player"])
  }

  @Test func `what begins has twelve seconds while it plays`() {
    var script = Script()
    script.player()
    script.command("player", .wake)
    script.hear("player", 1, .began)
    script.done("player")
    #expect(script.pass(to: 13) == ["12 s: freeze player"])
    var stopped = Script()
    stopped.player()
    stopped.command("player", .wake)
    stopped.hear("player", 1, .began)
    stopped.done("player")
    stopped.pass(to: 5)
    #expect(stopped.hear("player", 1, .ended) == ["freeze player"])
  }

  @Test func `a start in which nothing is heard doubles the time until the next, up to an hour`() {
    var script = Script()
    script.player()
    script.frozen("player")
    var starts: [Int] = []
    for second in 1...20_000 {
      if !script.pass(to: Double(second)).isEmpty { script.frozen("player") }
      guard script.hear("player", 1, .ended, .began).contains("thaw player") else { continue }
      if second - (starts.last ?? -100) > 12 { starts.append(second) }
      script.done("player")
    }
    #expect(starts == [1, 61, 181, 421, 901, 1861, 3781, 7381, 10_981, 14_581, 18_181])
  }

  @Test func `being heard gives the next start at once`() {
    var script = Script()
    script.player()
    script.frozen("player")
    script.hear("player", 1, .began)
    script.done("player")
    script.sounds("player")
    script.pass(to: 3)
    script.hear("player", 1, .ended)
    script.quiet("player", 2)
    #expect(script.pass(to: 6) == ["5 s: freeze player"])
    script.frozen("player")
    #expect(script.hear("player", 1, .began) == ["thaw player", "player: woke, refill"])
  }

  @Test func `starts in the foreground win nothing and count for nothing`() {
    var script = Script()
    script.launched("player", .audio)
    script.open("player")
    for second in 1...100 {
      script.pass(to: Double(second))
      script.hear("player", 1, .ended, .began)
    }
    #expect(!script.sendToBackground("player").contains("freeze player"))
    #expect(script.pass(to: 113) == ["112 s: freeze player"])
    script.frozen("player")
    #expect(script.hear("player", 1, .ended, .began).contains("thaw player"))
  }

  @Test func `reports that say nothing of sound hold nothing`() throws {
    var script = Script()
    script.player()
    script.frozen("player")
    for second in 1...100 {
      script.jump(to: Double(second))
      #expect(script.hear("player", 1, .low, .filled, .ended) + script.quiet("player") == [])
    }
    #expect(try script.leases("player") == [])
  }

  @Test func `without the mode it is held in the background, and goes on in the foreground`() throws {
    var script = Script()
    script.launched("game", .voip)
    script.open("game")
    script.hear("game", 1, .began)
    script.sounds("game")
    let hold = "hold game's session 1"
    #expect(
      script.leaveForeground("game") == [
        "ok", "game: willResignActive", "game: didEnterBackground", hold, "freeze game",
      ])
    script.frozen("game")
    script.command("game", .foreground)
    #expect(script.did("game") == ["game: didBecomeActive", "play game's session 1"])
  }

  @Test(arguments: [AudioCategory.ambient, .soloAmbient])
  func `what may be missing is silent in the background whatever the mode`(category: AudioCategory) {
    var script = Script()
    script.launched("game", .audio)
    script.open("game", category)
    script.hear("game", 1, .began)
    script.sounds("game")
    let effects = script.leaveForeground("game")
    #expect(effects.contains("hold game's session 1") && effects.contains("freeze game"))
  }

  @Test func `it comes back quieter when another one ducks`() {
    var script = Script()
    script.launched("game", .voip)
    script.open("game")
    script.sendToBackground("game")
    script.launched("maps", .audio)
    script.open("maps") { $0.ducksOthers = true }
    script.hear("maps", 2, .began)
    script.command("game", .foreground)
    #expect(script.did("game").contains("duck game's session 1"))
    #expect(script.hear("maps", 2, .ended) == ["play game's session 1"])
  }

  @Test func `a command that opens sessions again and again is looked at all the same`() {
    var script = Script()
    script.run("trick") { $0.settings.modes = .audio }
    script.pass(to: 5)
    script.frozen("trick")
    script.pass(to: 6.5)
    script.refuse("trick")
    var looks = 0
    for round in 1...40 {
      script.open("trick")
      looks += script.pass(to: 6.5 + Double(round) / 2).count { $0.hasSuffix("freeze trick") }
      script.refuse("trick")
      script.close("trick", UInt32(round))
    }
    #expect(looks >= 3)
  }

  @Test func `the start grace of a game is not taken along into the background`() {
    var script = Script()
    script.launched("game", .voip)
    script.open("game", .ambient)
    script.hear("game", 1, .began)
    #expect(script.sendToBackground("game").contains("freeze game"))
  }

  @Test(arguments: [false, true])
  func `sound that is told of during the freeze takes it back`(isHeard: Bool) {
    var script = Script()
    script.player()
    let effects = isHeard ? script.sounds("player") : script.hear("player", 1, .began)
    #expect(effects == ["thaw player"])
    #expect(script.frozen("player") == [])
    #expect(script.state("player") == .background)
  }

  @Test func `sound that is told of after the freeze wakes it`() throws {
    var script = Script()
    script.player()
    script.frozen("player")
    #expect(script.hear("player", 1, .began) == ["thaw player", "player: woke, refill"])
    #expect(try script.leases("player") == [.audible, .refill])
  }

  @Test func `the trial of a command comes while it plays, and it sleeps when it falls silent`() {
    var script = Script()
    script.run("mpd") { $0.settings.modes = .audio }
    script.open("mpd")
    script.hear("mpd", 1, .began)
    script.sounds("mpd")
    #expect(script.pass(to: 1) == ["1 s: freeze mpd"])
    #expect(script.frozen("mpd") == ["thaw mpd"])
    #expect(script.pass(to: 100) == [])
    script.quiet("mpd", 8)
    #expect(script.pass(to: 109) == ["108 s: freeze mpd"])
  }

  @Test func `a command that records is not tried`() {
    var script = Script()
    script.run("arecord") { $0.settings.modes = .audio }
    script.open("arecord", .record) { $0.direction = .capture }
    script.hear("arecord", 1, .began)
    #expect(script.pass(to: 1000) == [])
  }

  @Test func `32 sessions, and each is closed once`() {
    var script = Script()
    script.launched("player", .audio)
    for _ in 0..<32 { script.open("player") }
    script.open("player")
    #expect(script.refusal == .tooManySessions(32))
    #expect(script.close("player", 7) == ["ok"])
    script.close("player", 7)
    #expect(script.refusal == .noSuchSession(SessionID(7)))
    #expect(script.open("player") == ["ok, session 34"])
  }

  @Test func `the hangover is the program's, also when its sessions are closed`() {
    var script = Script()
    script.playing()
    #expect(script.close("player", 1) == ["ok"])
    #expect(script.hear("player", 1, .began) == [])
    script.quiet("player", 10)
    #expect(script.pass(to: 11) == ["10 s: freeze player"])
  }

  @Test func `a session that was closed silent holds nothing`() {
    var script = Script()
    script.playing()
    script.hear("player", 1, .ended)
    #expect(script.quiet("player") == ["freeze player"])
    script.frozen("player")
    #expect(script.close("player", 1) == ["ok"])
  }

  @Test func `what is loud in a deep buffer alone keeps nobody awake`() throws {
    var script = Script()
    script.player { $0.isDeep = true }
    script.open("player")
    script.hear("player", 1, .began)
    script.sounds("player", deep: true)
    #expect(try script.leases("player") == [])
  }

  @Test func `the hangover of a game is not taken along into the background`() {
    var script = Script()
    script.launched("game", .voip)
    script.open("game")
    script.hear("game", 1, .began)
    script.sounds("game")
    script.close("game", 1)
    script.quiet("game", 10)
    #expect(script.leaveForeground("game").contains("freeze game"))
  }

  @Test func `a suspend is refused while it is heard`() {
    var script = Script()
    script.playing()
    script.command("player", .suspend)
    #expect(script.refusal == .busy(.audible))
  }

  @Test func `one that tells anew what plays begins nothing`() throws {
    var script = Script()
    script.player()
    script.command("player", .wake)
    script.hear("player", 1, .began)
    script.done("player")
    script.pass(to: 10)
    script.hear("player", 1, .began)
    #expect(script.pass(to: 13) == ["12 s: freeze player"])
  }

  @Test func `an unmanaged client is never frozen, obeys nobody and is gone when it leaves`() {
    var script = Script()
    script.register("aplay", []) { ($0.speaks, $0.isUnmanaged) = (false, true) }
    script.open("aplay")
    script.hear("aplay", 1, .began)
    for command in Transition.allCases {
      script.command("aplay", command)
      #expect(script.refusal == .isUnmanaged)
    }
    #expect(script.pass(to: 1000) == [])
    script.close("aplay", 1)
    #expect(script.feed(.leave(script.id("aplay"))) == ["forget aplay"])
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

  @Test func `a command that speaks with more modes than before is heard`() {
    var script = Script()
    script.run("mpd")
    #expect(script.open("mpd") == ["ok, session 1", "hold mpd's session 1"])
    var library = Registration(name: "mpd", modes: .audio)
    library.launch = .background
    let id = script.id("mpd")
    #expect(script.ask(.adopt(id, library)).contains("play mpd's session 1"))
    #expect(script.feed(.leave(id)) == ["hold mpd's session 1"])
  }
}
