import LullSystem
import TestSupport
import Testing

/// ALSA programs play through the plugin into a listener that hears in real time.
@Suite(.bounded(seconds: 300)) struct PlayTests {
  @Test(arguments: [
    [], ["-M"], ["-N"], ["--buffer-time=40000", "--period-time=10000"],
    ["--buffer-size=64", "--period-size=16"], ["--buffer-size=64", "--period-size=32"],
    ["--buffer-size=128", "--period-size=64"], ["-M", "--buffer-size=256", "--period-size=64"],
  ])
  func `aplay is heard bit for bit, whatever its access, mode and buffer`(arguments: [String]) throws {
    let stage = try Stage()
    let frames = try stage.noise("noise", frames: 48_000)
    try stage.play("noise", arguments).expectSuccess()
    #expect(try stage.heard() == frames)
  }

  @Test(arguments: [("U8", 96_000), ("S24_3LE", 288_000), ("S32_LE", 384_000), ("FLOAT_LE", 384_000)])
  func `every format is heard bit for bit`(format: String, bytes: Int) throws {
    let stage = try Stage()
    let frames = try stage.noise("noise", frames: bytes / 4)
    let program = ["aplay", "-q", "-D", "lull", "-t", "raw", "-f", format, "-r", "48000", "-c", "2"]
    try stage.start(program + [stage.path("noise")]).expectSuccess()
    // aplay fills its last period with silence.
    let heard = try stage.heard()
    #expect(Array(heard.prefix(bytes)) == frames)
    #expect(heard.count < bytes + 48_000 * 8)
  }

  /// For each channel of the session, which has the order of WAV files, its place in the program's frame.
  @Test(
    arguments: [
      (nil, [0, 1, 4, 5, 2, 3]), ("FL,FR,FC,LFE,RL,RR", [0, 1, 2, 3, 4, 5]),
      ("FL,FR,FC,LFE,SL,SR", [0, 1, 2, 3, 4, 5]), ("FC,FL,FR,RL,RR,LFE", [1, 2, 0, 5, 3, 4]),
    ] as [(String?, [Int])])
  func `each of six channels comes to its speaker, in the program's order of them`(
    order: String?, places: [Int]
  ) throws {
    let stage = try Stage()
    let frames = try stage.noise("noise", frames: 36_000)
    let format = ["-t", "raw", "-f", "S16_LE", "-r", "48000", "-c", "6"]
    let program = ["aplay", "-q", "-D", "lull"] + format + (order.map { ["-m", $0] } ?? [])
    try stage.start(program + [stage.path("noise")]).expectSuccess()
    let starts = Array(stride(from: 0, to: frames.count, by: 12))
    let samples = starts.flatMap { frame in places.map { frame + 2 * $0 } }
    let wanted = samples.flatMap { Array(frames[$0..<$0 + 2]) }
    // aplay fills its last period with silence.
    #expect(Array(try stage.heard().prefix(wanted.count)) == wanted)
  }

  @Test func `The session is what the configuration says`() throws {
    let stage = try Stage(
      fields: "category soloAmbient mix no duck yes spoken yes deep 6 latency 0.25")
    _ = try stage.noise("noise", frames: 4800)
    try stage.play("noise", ["--buffer-size=24000"]).expectSuccess()
    let session = try stage.listener.awaitLine("session")
    #expect(
      session
        == "session category=soloAmbient direction=play rate=48000 channels=2 format=s16 frames=288000"
        + " duck spoken lowWater=48000 latency=0.25")
    try stage.listener.awaitLine("end-session session=1")
  }

  @Test func `A deep buffer is filled at once and heard without a gap`() throws {
    let stage = try Stage(fields: "deep 4")
    let frames = try stage.noise("noise", frames: 48_000 * 5)
    let program = try stage.play("noise")
    // Four of the five seconds are soon in the ring: all of them play while the program is stopped.
    try stage.listener.awaitLine("session")
    try eventually("it is heard") { try !stage.heard().isEmpty }
    try program.signal(Signal.stop)
    try eventually("the ring is heard to its end") { try stage.heard().count >= 48_000 * 4 * 3 }
    try program.signal(Signal.continue)
    try program.expectSuccess()
    #expect(try stage.heard() == frames)
  }

  @Test(arguments: ["poll", "drain-by-poll", "pause", "underrun"])
  func `A program with its own loop loses no frame`(mode: String) throws {
    let stage = try Stage()
    let frames = try stage.noise("noise", frames: 96_000)
    try stage.client(mode, "noise").expectSuccess()
    #expect(try stage.heard() == frames)
  }

  @Test func `A drain plays what was too little for a start`() throws {
    let stage = try Stage()
    let frames = try stage.noise("noise", frames: 12_000)
    try stage.client("unstarted", "noise").expectSuccess()
    #expect(try stage.heard() == frames)
  }

  @Test func `A drop takes effect at the frame that is heard`() throws {
    let stage = try Stage()
    let dropped = try stage.noise("dropped", frames: 24_000)
    let next = try stage.noise("next", frames: 24_000)
    try stage.client("drop", "dropped", "next").expectSuccess()
    let heard = try stage.heard()
    #expect(Array(heard.suffix(next.count)) == next)
    let before = Array(heard.dropLast(next.count))
    #expect(before == Array(dropped.prefix(before.count)))
    // The client waited until half of the buffer had been played, by a clock that runs on between two passes
    // of the listener.
    #expect((11_000 * 4..<24_000 * 4).contains(before.count))
  }

  @Test func `Bad configuration is named`() throws {
    for (fields, words) in [
      ("category loud", "loud is no category"), ("deep 31", "deep is to be seconds"),
      ("mix perhaps", "mix is to be yes or no"), ("volume 3", "unknown field volume"),
    ] {
      let stage = try Stage(fields: fields)
      _ = try stage.noise("noise", frames: 4800)
      let program = try stage.play("noise")
      #expect(try program.end() == .exited(1))
      #expect(try program.errors.untilEnd().contains(words))
    }
  }

  @Test func `The daemon of another user is told nothing`() throws {
    let stage = try Stage()
    _ = try stage.noise("noise", frames: 4800)
    try stage.endListener()
    try stage.restartListener(user: 65534)
    let program = try stage.play("noise")
    #expect(try program.end() == .exited(1))
    #expect(try program.errors.untilEnd().contains("listens there, not uid"))
    try stage.endListener()
    #expect(throws: NothingCame.self) { try stage.listener.awaitLine("") }
  }

  @Test func `Without a daemon it says so`() throws {
    let stage = try Stage()
    _ = try stage.noise("noise", frames: 4800)
    try stage.endListener()
    let program = try stage.play("noise")
    #expect(try program.end() == .exited(1))
    #expect(try program.errors.untilEnd().contains("/nonexistent/guard: No such file or directory"))
  }
}
