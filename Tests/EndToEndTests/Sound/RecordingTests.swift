import LullSystem
import LullWire
import TestSupport
import Testing

import enum LullSystem.ExitStatus

/// Programs that record in the background, and the user's word on it.
@Suite(.bounded) struct RecordingTests {
  private static let configuration = """
    [recording]
        appname = "arecord"
        action_name = "Deny"

    """
  private static let denial = "this program may not record: the user has denied it"

  private func record(on stage: AudioStage) throws -> ConnectedChild {
    try stage.run("arecord", ["arecord", "-q", "-D", "lull", stage.path("take.wav")], modes: "audio")
  }

  /// It ends with the reason, which is said once.
  private func expectDenial(of arecord: ConnectedChild) throws {
    #expect(try arecord.end() == .exited(1))
    let errors = try arecord.errors.untilEnd()
    #expect(errors.ranges(of: Self.denial).count == 1, "\(errors)")
  }

  @Test func `the desktop asks, a click on Deny ends the recording, and music goes on`() throws {
    let desktop = try Desktop(configuration: Self.configuration)
    let stage = try AudioStage(environment: desktop.environment)
    try stage.write("tone.wav") { $0.add(seconds: 30, level: -20) }
    let aplay = try stage.play("tone.wav")
    try stage.journal.wait("sound-began", of: "aplay")
    let arecord = try record(on: stage)
    try desktop.wait(forShown: 1)
    #expect(try stage.why("arecord").contains("it records"))
    try desktop.control("action", "0")
    try desktop.wait(forShown: 0)
    try stage.journal.wait("sound-cut", of: "arecord", cause: "denied")
    try expectDenial(of: arecord)
    try expectDenial(of: record(on: stage))
    let session = try stage.session(of: "aplay") { $0[.state] == "running" }
    #expect(session[.starved] == nil, "\(session)")
    try aplay.signal(Signal.terminate)
  }

  @Test func `what was denied by hand stays so under the next lulld, until it is allowed`() throws {
    let stage = try AudioStage()
    #expect(try stage.lull.run("deny", "arecord", "record").status == .exited(0))
    #expect(try stage.lull.run("daemon", "stop").status == .exited(0))
    try stage.lull.startAgain()
    try expectDenial(of: record(on: stage))
    #expect(try stage.lull.run("allow", "arecord", "record").status == .exited(0))
    _ = try record(on: stage)
    _ = try stage.session(of: "arecord") { $0[.state] == "running" }
    #expect(try stage.lull.order("notifications").all(.notification).isEmpty)
  }

  /// Without the mode audio, too.
  @Test(arguments: ["audio", "voip"])
  func `what is recorded straight from PulseAudio is told, and cannot be denied`(modes: String) throws {
    let stage = try AudioStage(clockRate: 10)
    #expect(try stage.lull.run("deny", "parecord", "record").status == .exited(0))
    let words = [
      "env", stage.sink.server("native"), "parecord", "-d", "lull.monitor", stage.path("take.wav"),
    ]
    try stage.run("parecord", words, modes: modes)
    try eventually("it is not told") {
      try stage.lull.order("notifications").all(.notification).contains {
        $0[.body] == "records in the background, past Lull, which cannot deny that"
      }
    }
    let why = try stage.why("parecord")
    #expect(why.contains("may not record") && why.contains("records past Lull"), "\(why)")
  }
}
