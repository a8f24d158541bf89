import LullEngine
import Testing

/// What sound keeps a program awake, and what does not.
@Suite struct SoundTests {
  @Test func `it is awake while it is heard, to the end of the hangover`() throws {
    var script = Script()
    script.playing()
    #expect(try script.leases("player") == [.audible])
    #expect(script.pass(to: 3600) == [])
    script.hear("player", 1, .quiet(.seconds(8)))
    #expect(try script.view("player").leases.map(\.ends) == [Moment(3608)])
    #expect(script.pass(to: 3609) == ["3608 s: freeze player"])
  }

  @Test func `what sounds again before the end of the hangover goes on`() {
    var script = Script()
    script.playing()
    script.hear("player", 1, .quiet(.seconds(8)))
    script.pass(to: 7.9)
    script.hear("player", 1, .sounding)
    #expect(script.pass(to: 100) == [])
  }

  @Test func `what is stopped while it is heard has the hangover`() {
    var script = Script()
    script.playing()
    script.hear("player", 1, .ended)
    #expect(script.pass(to: 11) == ["10 s: freeze player"])
  }

  @Test func `what begins has five seconds`() {
    var script = Script()
    script.launched("player", .audio)
    script.open("player")
    script.hear("player", 1, .began)
    #expect(!script.sendToBackground("player").contains("freeze player"))
    #expect(script.pass(to: 6) == ["5 s: freeze player"])
  }

  @Test func `what begins and ends every second has five seconds in a minute`() {
    var script = Script()
    script.player()
    script.frozen("player")
    var seen: [String] = []
    for second in 1...130 {
      let freezes = script.pass(to: Double(second))
      if !freezes.isEmpty { script.frozen("player") }
      let isWoken = script.hear("player", 1, .began, .ended).contains("thaw player")
      if isWoken { script.done("player") }
      seen += freezes + (isWoken ? ["\(second) s: thaw"] : [])
    }
    let pairs = [(1, 6), (61, 66), (121, 126)]
    #expect(seen == pairs.flatMap { ["\($0.0) s: thaw", "\($0.1) s: freeze player"] })
  }

  @Test func `reports that say nothing of sound hold nothing`() throws {
    var script = Script()
    script.player()
    script.frozen("player")
    for second in 1...100 {
      script.jump(to: Double(second))
      #expect(script.hear("player", 1, .low, .filled, .ended, .quiet(.zero)) == [])
    }
    #expect(try script.leases("player") == [])
  }

  @Test func `without the mode it is held in the background, and goes on in the foreground`() throws {
    var script = Script()
    script.launched("game", .voip)
    script.open("game")
    script.hear("game", 1, .began, .sounding)
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
    script.hear("game", 1, .began, .sounding)
    #expect(script.leaveForeground("game").contains("hold game's session 1"))
    #expect(script.state("game") == .background)
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

  @Test func `the start grace of a game is not taken along into the background`() {
    var script = Script()
    script.launched("game", .voip)
    script.open("game", .ambient)
    script.hear("game", 1, .began)
    #expect(script.sendToBackground("game").contains("freeze game"))
  }

  @Test func `recording keeps it awake while it runs`() throws {
    var script = Script()
    script.player("recorder", .audio, .record) { $0.direction = .capture }
    script.hear("recorder", 1, .began)
    #expect(try script.leases("recorder") == [.recording])
    #expect(script.pass(to: 3600) == [])
    #expect(script.hear("recorder", 1, .ended) == ["freeze recorder"])
  }

  @Test func `a call keeps a VoIP program awake while it runs`() throws {
    var script = Script()
    script.player("phone", .voip, .playAndRecord)
    script.hear("phone", 1, .began)
    #expect(try script.leases("phone") == [.audible, .call])
    #expect(script.pass(to: 3600) == [])
    #expect(try script.leases("phone") == [.call])
    #expect(script.hear("phone", 1, .ended) == ["freeze phone"])
  }

  @Test func `both directions without VoIP are no call`() throws {
    var script = Script()
    script.player("studio", .audio, .playAndRecord) { $0.direction = .capture }
    script.hear("studio", 1, .began)
    #expect(try script.leases("studio") == [.recording])
  }

  @Test(arguments: [SoundReport.began, .sounding])
  func `sound that is told of during the freeze takes it back`(report: SoundReport) {
    var script = Script()
    script.player()
    #expect(script.hear("player", 1, report) == ["thaw player"])
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
    script.run("mpd") { $0.modes = .audio }
    script.open("mpd")
    script.hear("mpd", 1, .began, .sounding)
    #expect(script.pass(to: 1) == ["1 s: freeze mpd"])
    #expect(script.frozen("mpd") == ["thaw mpd"])
    #expect(script.pass(to: 100) == [])
    script.hear("mpd", 1, .quiet(.seconds(8)))
    #expect(script.pass(to: 109) == ["108 s: freeze mpd"])
  }

  @Test func `a command that records is not tried`() {
    var script = Script()
    script.run("arecord") { $0.modes = .audio }
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

  @Test func `a session that is closed has the hangover, and nothing that is told of it later counts`() {
    var script = Script()
    script.playing()
    #expect(script.close("player", 1) == ["ok"])
    #expect(script.hear("player", 1, .sounding, .began) == [])
    #expect(script.pass(to: 11) == ["10 s: freeze player"])
  }

  @Test func `a session that was closed silent holds nothing`() {
    var script = Script()
    script.playing()
    script.hear("player", 1, .quiet(.zero))
    script.hear("player", 1, .ended)
    #expect(script.pass(to: 4).isEmpty)
    #expect(script.close("player", 1) == ["ok", "freeze player"])
  }

  @Test func `the hangover of a game is not taken along into the background`() {
    var script = Script()
    script.launched("game", .voip)
    script.open("game")
    script.hear("game", 1, .began, .sounding)
    script.close("game", 1)
    #expect(script.leaveForeground("game").contains("freeze game"))
  }

  @Test func `what was heard earns another start`() {
    var script = Script()
    script.playing()
    script.hear("player", 1, .ended, .quiet(.zero))
    script.pass(to: 5)
    script.frozen("player")
    #expect(script.hear("player", 1, .began) == ["thaw player", "player: woke, refill"])
  }

  @Test func `a suspend is refused while it is heard`() {
    var script = Script()
    script.playing()
    script.command("player", .suspend)
    #expect(script.refusal == .busy(.audible))
  }

  @Test func `a player that is started anew may not have heard what the last one did`() {
    var script = Script()
    script.playing()
    script.pass(to: 100)
    script.hear("player", 1, .began)
    #expect(script.pass(to: 111) == ["110 s: freeze player"])
  }

  @Test func `a guest is never frozen, obeys nobody and is gone when it leaves`() {
    var script = Script()
    script.register("aplay", []) { ($0.speaks, $0.isGuest) = (false, true) }
    script.open("aplay")
    script.hear("aplay", 1, .began)
    for command in Command.allCases {
      script.command("aplay", command)
      #expect(script.refusal == .isGuest)
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
    #expect(script.feed(.routeChanged) == ["active: route"])
    #expect(script.feed(.routeChanged) == ["active: route"])
    #expect(
      script.command("player", .wake) == ["thaw player", "player: route", "player: woke, operator", "ok"])
    script.done("player")
    script.frozen("player")
    #expect(script.command("player", .wake) == ["thaw player", "player: woke, operator", "ok"])
  }

  @Test func `a command that speaks with more modes than before is heard`() {
    var script = Script()
    script.run("mpd")
    #expect(script.open("mpd") == ["ok, session 1", "hold mpd's session 1"])
    var library = Registration(name: "mpd", modes: .audio)
    library.launch = .background
    let id = script.id("mpd")
    #expect(script.ask { .adopt(id, library, $0) }.contains("play mpd's session 1"))
    #expect(script.feed(.leave(id)) == ["hold mpd's session 1"])
  }
}
