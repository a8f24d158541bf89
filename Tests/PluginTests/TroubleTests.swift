import LullSystem
import TestSupport
import Testing

/// Faults that a stream meets while it plays.
@Suite(.bounded(seconds: 300)) struct TroubleTests {
  @Test func `A program that was frozen for longer than its buffer goes on, and does not spin`() throws {
    let stage = try Stage()
    let frames = try stage.noise("noise", frames: 48_000 * 8)
    let program = try stage.play("noise")
    // A second must be left when it has been stopped, however late that is.
    try eventually("it is heard") { try stage.heard().count > 48_000 * 4 }
    try program.signal(Signal.stop)
    // The ring plays to its end, and then nothing for as long again.
    try stage.awaitSilence()
    let ticks = try program.processorTicks()
    try program.signal(Signal.continue)
    let count = try stage.heard().count
    // During a second of sound the program uses at most a tenth of a second of the processor.
    try eventually("it goes on") { try stage.heard().count > count + 48_000 * 4 }
    #expect(try program.processorTicks() <= ticks + 10)
    try program.expectSuccess()
    #expect(try stage.heard() == frames)
  }

  @Test func `A killed daemon is found again, and no frame is lost`() throws {
    let stage = try Stage()
    let frames = try stage.noise("noise", frames: 48_000 * 3)
    let program = try stage.play("noise")
    try eventually("it is heard") { try stage.heard().count > 48_000 * 4 }
    try stage.endListener()
    try stage.restartListener()
    try stage.listener.awaitLine("session")
    #expect(try program.end() == .exited(0))
    #expect(try program.errors.untilEnd() == "")
    #expect(try stage.heard() == frames)
  }

  @Test func `A message names no folder of the machine that built it`() throws {
    let stage = try Stage()
    _ = try stage.noise("noise", frames: 48_000)
    try stage.endListener()
    let program = try stage.play("noise")
    #expect(try program.end() != .exited(0))
    let errors = try program.errors.untilEnd()
    #expect(errors.contains("ALSA lib control.c:"), "\(errors)")
    #expect(errors.contains("lull: no daemon: /nonexistent/guard: No such file or directory"))
    #expect(!errors.contains("PcmLull"))
  }

  @Test func `A session that is cut has no device any more`() throws {
    let stage = try Stage()
    _ = try stage.noise("noise", frames: 48_000 * 20)
    let program = try stage.client("cut", "noise")
    try program.awaitLine("playing")
    try stage.listener.say("cut 2")
    #expect(try program.end() == .exited(0))
    let told = try program.errors.untilEnd().split(separator: "\n")
    #expect(told.count == 1 && told[0].contains("no sound device can be opened: `lull doctor`"), "\(told)")
  }

  @Test func `A drain that is cut tells why, and has no device any more`() throws {
    let stage = try Stage()
    _ = try stage.noise("noise", frames: 48_000)
    let program = try stage.client("drain-cut", "noise")
    try program.awaitLine("draining")
    try stage.listener.say("cut 2")
    #expect(try program.end() == .exited(0))
    #expect(try program.errors.untilEnd().contains("no sound device can be opened"))
  }

  @Test(arguments: [false, true])
  func `Who gets no new session for a prepare goes on when there is one`(isKilled: Bool) throws {
    let stage = try Stage()
    let dropped = try stage.noise("dropped", frames: 24_000)
    let next = try stage.noise("next", frames: 48_000)
    let program = try stage.client("anew", "dropped", "next")
    try program.awaitLine("playing")
    if isKilled { try stage.endListener() } else { try stage.listener.say("refuse") }
    try program.say("go on")
    try program.awaitLine("prepared")
    if isKilled { try stage.restartListener() } else { try stage.listener.say("accept") }
    try program.say("go on")
    try program.expectSuccess()
    let heard = try stage.heard()
    #expect(Array(heard.suffix(next.count)) == next)
    let before = Array(heard.dropLast(next.count))
    #expect(before == Array(dropped.prefix(before.count)))
  }

  @Test func `A stream whose ring could not be made anew fails, and does not crash`() throws {
    let stage = try Stage()
    _ = try stage.noise("noise", frames: 48_000)
    let program = try stage.client("ringless", "noise")
    try program.awaitLine("playing")
    try stage.listener.say("refuse")
    try program.say("go on")
    try program.expectSuccess()
  }

  @Test func `A signal ends a program whose sound is held at the first try`() throws {
    let stage = try Stage()
    _ = try stage.noise("noise", frames: 48_000 * 4)
    let program = try stage.client("abort", "noise")
    try program.awaitLine("playing")
    try stage.listener.say("hold")
    try program.say("go on")
    try program.awaitLine("waiting")
    try program.say("abort")
    try program.awaitLine("aborted")
    // A message comes, but none that the program waits for.
    try stage.listener.say("event")
    try program.expectSuccess()
  }

  @Test func `What is interrupted goes on at the next frame`() throws {
    let stage = try Stage()
    let frames = try stage.noise("noise", frames: 48_000 * 2)
    let program = try stage.play("noise")
    try eventually("it is heard") { try stage.heard().count > 48_000 }
    try stage.listener.say("hold")
    try stage.awaitSilence()
    #expect(try stage.heard().count < frames.count)
    try stage.listener.say("release")
    try program.expectSuccess()
    #expect(try stage.heard() == frames)
  }
}

/// arecord captures the listener's frames: frame N holds the bytes of its number.
@Suite(.bounded) struct CaptureTests {
  @Test(arguments: [[], ["-M"]])
  func `arecord gets every frame once`(arguments: [String]) throws {
    let stage = try Stage()
    var program = ["arecord", "-q", "-D", "lull", "-t", "raw", "-f", "S16_LE", "-r", "48000", "-c", "2"]
    program += ["-s", "96000"] + arguments + [stage.path("captured")]
    try stage.start(program).expectSuccess()
    let captured = try Files.read(stage.path("captured"), limit: 1 << 22)
    #expect(captured.count == 96_000 * 4)
    let numbers = stride(from: 0, to: captured.count, by: 4).map { at in
      captured[at..<at + 4].reversed().reduce(0) { $0 << 8 | Int($1) }
    }
    let first = try #require(numbers.first)
    #expect(numbers == Array(first..<first + numbers.count))
    let session = try stage.listener.awaitLine("session")
    #expect(session.hasPrefix("session category=record direction=capture"))
  }
}
