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
    try stage.lull.startAgain()
    _ = try stage.session(of: "aplay") { $0[.audible] != nil }
    #expect(try aplay.end() == .exited(0))
  }

  @Test func `a process that asks for its session while its command returns plays for the command`() throws {
    let words = [try Built.program("lull"), "run", "--name", "p", "--"]
    let puppet = try Puppet(stage.lull, name: "p", prefix: words)
    try puppet.order("pair")
    let bell = try puppet.told("opened")
    try puppet.order("ring bytes=12096")
    let ring = Int32(try puppet.told("opened").integer(.fd))
    try end(.stopped)
    _ = try puppet.child.errors.line { $0.hasPrefix("lull: the daemon is gone") }
    try puppet.child.signal(Signal.stop)
    try stage.lull.startAgain()
    try puppet.connect()
    try puppet.ask("hello")
    try puppet.child.signal(Signal.continue)
    _ = try puppet.child.errors.line { $0.hasPrefix("lull: a daemon runs again") }
    #expect(try puppet.hand(ring, "ring").answer == .ok)
    let doorbell = "doorbell inode=\(bell["inode"] ?? "")"
    #expect(try puppet.hand(Int32(bell.integer(.fd)), doorbell).answer == .ok)
    try puppet.ask("session category=playback direction=play rate=8000 channels=1 format=u8 frames=8000")
    let programs = try stage.lull.order("status").all(.program).map { $0[.name] }
    #expect(programs == ["p"])
    #expect(try stage.session(of: "p") { _ in true }[.category] == "playback")
  }
}
