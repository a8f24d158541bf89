import LullSystem
import LullWire
import TestSupport
import Testing

/// Programs that play while their daemon ends, and under the next one.
@Suite(.tags(.faults), .bounded) struct SoundReturnTests {
  private let stage: AudioStage

  init() throws { stage = try AudioStage() }

  private func end(_ way: ReturnTests.End) throws {
    switch way {
    case .stopped: #expect(try stage.lull.run("daemon", "stop").status == .exited(0))
    case .killed: try stage.lull.killBoth()
    }
  }

  @Test(arguments: ReturnTests.End.allCases)
  func `aplay is heard again under the next daemon`(way: ReturnTests.End) throws {
    try stage.write("tone.wav") { $0.add(seconds: 20, level: -20) }
    let aplay = try stage.play("tone.wav")
    _ = try stage.session(of: "aplay") { $0[.audible] != nil }
    try end(way)
    _ = try aplay.errors.line { $0.hasPrefix("lull: the daemon is gone") }
    try stage.lull.startAgain()
    _ = try stage.session(of: "aplay") { $0[.audible] != nil }
    #expect(try aplay.end() == .exited(0))
  }
}
