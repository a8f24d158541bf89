import LullSystem
import LullWire
import TestSupport
import Testing

/// A lull-audio that stands still, is killed, or has no device.
@Suite(.tags(.faults), .bounded) struct SoundFaultTests {
  @Test func `a stopped lull-audio is continued, and its sound goes on`() throws {
    let stage = try AudioStage()
    try stage.write("tone.wav") { $0.add(seconds: 3, level: -20) }
    let aplay = try stage.play("tone.wav")
    try stage.journal.wait("sound-began", of: "aplay")
    let audio = try stage.audio()
    try Process.kill(audio, Signal.stop)
    try stage.journal.wait("sound-ended", of: "aplay")
    #expect(try aplay.end() == .exited(0))
    #expect(try stage.audio() == audio)
  }

  @Test func `what is heard when lull-audio is killed is heard through the next one, and does not sleep`()
    throws
  {
    let stage = try AudioStage()
    try stage.write("tone.wav") { $0.add(seconds: 8, level: -20) }
    let aplay = try stage.play("tone.wav")
    _ = try stage.session(of: "aplay") { $0[.audible] != nil }
    try Process.kill(try stage.audio(), Signal.kill)
    try stage.journal.wait("sound-restarted")
    #expect(try stage.lull.order("why name=aplay").all(.lease).contains { $0[.lease] == "audible" })
    _ = try stage.session(of: "aplay") { $0[.audible] != nil }
    let entries = try stage.journal.entriesUpToNow()
    #expect(!entries.contains { $0["what"] == "frozen" }, "\(entries)")
    #expect(try aplay.end() == .exited(0))
  }

  @Test func `without a sound device aplay ends with what is to be done, though it fell asleep`() throws {
    // lull-audio's own clock is not faster.
    let stage = try AudioStage(clockRate: 4)
    try stage.sink.end()
    try stage.write("tone.wav") { $0.add(seconds: 20, level: -20) }
    // It sleeps as soon as its buffer is full, before lull-audio gives its session up.
    let aplay = try stage.play("tone.wav", options: ["--deep-buffer", "8"])
    try stage.journal.waitForSleep(of: "aplay")
    try stage.journal.wait("sound-cut", of: "aplay", cause: "no-device")
    try stage.journal.wait("woke", of: "aplay", cause: "refill")
    #expect(try aplay.end() == .exited(1))
    let errors = try aplay.errors.untilEnd()
    #expect(errors.contains("no sound device can be opened: `lull doctor` says what is missing"), "\(errors)")
  }
}
