import LullSystem
import LullWire
import TestSupport
import Testing

/// The examples that are tabs of the tutorial "Background Modes in iOS": sound, and a finite-length task.
@Suite(.bounded) struct TutorialTests {
  @Test func `a queue plays on in the background, and its program sleeps meanwhile`() throws {
    let stage = try AudioStage()
    for (number, name) in ["one.wav", "two.wav"].enumerated() {
      try stage.write(name) { $0.addNoise(seconds: 4, seed: UInt64(number + 1)) }
    }
    let words = try Lull.example("player-example") + [stage.path("one.wav"), stage.path("two.wav")]
    let jukebox = try ConnectedChild(stage.network.prefix + words, environment: stage.lull.environment)
    #expect(try jukebox.output.line() == "now playing: one.wav")
    _ = try jukebox.output.line { $0 == "one.wav 0 s" || $0 == "one.wav 1 s" }
    #expect(try stage.lull.run("background", "jukebox").status == .exited(0))
    try stage.journal.waitForSleep(of: "jukebox")
    #expect(try stage.session(of: "jukebox") { $0[.audible] != nil }[.state] == "running")
    #expect(try stage.lull.state(of: "jukebox") == "suspended")
    #expect(try jukebox.output.line { !$0.hasPrefix("one.wav") } == "now playing: two.wav")
    #expect(try jukebox.end() == .exited(0))
  }

  @Test func `a calculation has its time in each stay in the background`() throws {
    let lull = try Lull(clockRate: 20)
    let journal = try lull.journal()
    let fibonacci = try ConnectedChild(Lull.example("fibonacci-example"), environment: lull.environment)
    #expect(try fibonacci.output.line() == "position 2 = 2")
    func sendToBackground() throws {
      #expect(try lull.run("background", "fibonacci").status == .exited(0))
      let left = try fibonacci.output.line { $0.hasSuffix("s remain") }
      #expect(left.split(separator: " ").first.flatMap { Int($0) }.map { $0 > 100 } == true, "\(left)")
    }
    try sendToBackground()
    _ = try fibonacci.output.line { $0 == "the time is up" }
    try journal.waitForSleep(of: "fibonacci")
    #expect(try lull.run("foreground", "fibonacci").status == .exited(0))
    try sendToBackground()
    #expect(try fibonacci.isAlive)
  }
}

extension Lull {
  /// The command for a program of `Examples` whose output is read: `print` to a pipe waits for a full buffer.
  static func example(_ name: String) throws -> [String] { try ["stdbuf", "-oL", Built.helper(name)] }
}
