import LullSystem
import TestSupport
import Testing

/// The frames written ahead of the frame that plays, and their fate.
@Suite(.bounded(seconds: 300)) struct PositionTests {
  @Test(arguments: [8000, 44_100, 192_000], ["64", "200", "1024"])
  func `every buffer that is offered plays to its end`(rate: Int, buffer: String) throws {
    let stage = try Stage()
    let frames = try stage.noise("noise", frames: rate / 4)
    let program = ["aplay", "-q", "-D", "lull", "-t", "raw", "-f", "S16_LE", "-r", "\(rate)", "-c", "2"]
    let size = ["--buffer-size=\(buffer)", "--period-size=\(Int(buffer)! / 2)", stage.path("noise")]
    try stage.start(program + size).expectSuccess()
    #expect(Array(try stage.heard().prefix(frames.count)) == frames)
  }

  @Test(arguments: [("rewind", 12_000), ("forward", 18_000)])
  func `What is rewound over is heard as it was written again`(mode: String, kept: Int) throws {
    let stage = try Stage()
    let old = try stage.noise("old", frames: 24_000)
    let new = try stage.noise("new", frames: 36_000)
    try stage.client(mode, "old", "new").expectSuccess()
    #expect(try stage.heard() == Array(old.prefix(kept * 4)) + new)
  }

  @Test func `Who rewinds over what is heard meanwhile loses no more than that`() throws {
    let stage = try Stage()
    let old = try stage.noise("old", frames: 24_000)
    let new = try stage.noise("new", frames: 36_000)
    try stage.client("rewind-whole", "old", "new").expectSuccess()
    let heard = try stage.heard()
    let common = zip(heard, old).prefix { $0 == $1 }.count / 4
    // A part played before the program went back; the rest of the output is the end of the new frames.
    #expect(common >= 4800)
    let rest = Array(heard.dropFirst(common * 4))
    #expect(rest == Array(new.suffix(rest.count)))
    #expect(rest.count >= new.count - 2400 * 4)
  }

  @Test(arguments: [("2.5", "frames=120000", "lowWater=24000"), ("0.75", "frames=36000", "lowWater=18000")])
  func `a deep buffer may be a fraction`(seconds: String, frames: String, lowWater: String) throws {
    let stage = try Stage()
    let noise = try stage.noise("noise", frames: 48_000)
    let program = [
      "env", "LULL_DEEP_BUFFER=\(seconds)", "aplay", "-q", "-D", "lull", stage.path("noise.wav"),
    ]
    try stage.start(program).expectSuccess()
    let session = try stage.listener.awaitLine("session")
    #expect(session.contains(" \(frames) ") && session.hasSuffix(lowWater))
    #expect(try stage.heard() == noise)
  }

  @Test(arguments: ["2,5", "-1", "1e1", "31", "."])
  func `a deep buffer that is no number of seconds is named`(seconds: String) throws {
    let stage = try Stage()
    _ = try stage.noise("noise", frames: 4800)
    let program = [
      "env", "LULL_DEEP_BUFFER=\(seconds)", "aplay", "-q", "-D", "lull", stage.path("noise.wav"),
    ]
    let ended = try stage.start(program)
    #expect(try ended.end() == .exited(1))
    #expect(try ended.errors.untilEnd().contains("LULL_DEEP_BUFFER is to be seconds"))
  }

  @Test func `Who takes for played what it has handed over gets no deep buffer`() throws {
    let stage = try Stage(fields: "deep 4")
    let frames = try stage.noise("noise", frames: 96_000)
    try stage.client("poll", "noise").expectSuccess()
    #expect(try stage.listener.awaitLine("session").hasSuffix(" lowWater=32000"))
    try stage.listener.awaitLine("end-session")
    #expect(try !stage.listener.awaitLine("session").contains("lowWater"))
    #expect(try stage.heard() == frames)
  }
}
