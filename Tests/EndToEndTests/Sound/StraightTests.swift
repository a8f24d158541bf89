import LullSystem
import LullWire
import TestSupport
import Testing

/// Programs that play straight to PulseAudio: what counts is what can be heard of them.
@Suite(.bounded) struct StraightTests {
  /// The way to the server.
  enum Way: CaseIterable {
    case usualSocket, otherSocket, tcp
  }

  /// `lull run` of paplay, past Lull's own device.
  private func play(
    _ file: String, on stage: AudioStage, _ way: Way = .usualSocket
  ) throws -> ConnectedChild {
    let server =
      switch way {
      case .usualSocket: stage.sink.server("native")
      case .otherSocket: stage.sink.server("sound")
      case .tcp: stage.sink.serverOverTCP
      }
    return try stage.run("paplay", ["env", server, "paplay", stage.path(file)], modes: "audio")
  }

  @Test(arguments: Way.allCases)
  func `zeros keep nobody awake, and the server's requests wake nobody`(way: Way) throws {
    let stage = try AudioStage(clockRate: 4)
    try stage.write("zeros.wav") { $0.add(seconds: 60) }
    try stage.write("tone.wav") { $0.add(seconds: 3, level: -20) }
    _ = try play("zeros.wav", on: stage, way)
    try stage.journal.wait("sound-began", of: "paplay")
    try stage.journal.waitForSleep(of: "paplay")
    // Meanwhile the server plays what it has, and asks for more.
    let other = try ConnectedChild(
      ["paplay", stage.path("tone.wav")], environment: [stage.sink.server("native")])
    #expect(try other.end() == .exited(0))
    let entries = try stage.journal.entriesUpToNow().filter { $0["program"] == "paplay" }
    #expect(!entries.contains { $0["what"] == "woke" }, "\(entries)")
    #expect(try stage.lull.state(of: "paplay") == "suspended")
  }

  @Test func `a tone is heard, and neither frozen nor thawed`() throws {
    let stage = try AudioStage()
    // Longer than the grace for its start.
    try stage.write("tone.wav") { $0.add(seconds: 15, level: -20) }
    let run = try play("tone.wav", on: stage)
    try stage.journal.wait("sound-began", of: "paplay")
    try eventually("it is not heard") {
      try stage.lull.order("why name=paplay").all(.lease).contains {
        $0[.lease] == "audible" && $0[.endsInSeconds] == nil
      }
    }
    #expect(try run.end() == .exited(0))
    let entries = try stage.journal.entriesUpToNow().filter { $0["program"] == "paplay" }
    #expect(!entries.contains { ["frozen", "woke"].contains($0["what"] ?? "") }, "\(entries)")
  }

  @Test func `a program that records is not put to sleep`() throws {
    let stage = try AudioStage(clockRate: 10)
    let path = stage.path("take.wav")
    let server = stage.sink.server("native")
    try stage.run("parecord", ["env", server, "parecord", "-d", "lull.monitor", path], modes: "audio")
    try stage.journal.waitForRefusal(of: "parecord", cause: "sound")
    try eventually("it is not held") { try stage.why("parecord").contains("PulseAudio runs") }
    let entries = try stage.journal.entriesUpToNow().filter { $0["program"] == "parecord" }
    #expect(!entries.contains { $0["what"] == "frozen" }, "\(entries)")
  }
}
