import LullEngine
import TestSupport
import Testing

/// "When an alert-based interruption occurs, such as an incoming phone call, the app moves temporarily to the
/// inactive state".
@Suite(.bounded) struct CallCoverTests {
  /// A game in the foreground and a phone in the background.
  private func stage() -> Script {
    var script = Script()
    script.launched("game")
    script.player("phone", modes: [.voip, .audio], category: .playAndRecord)
    return script
  }

  private func ring(_ script: inout Script) -> [String] {
    script.hear("phone", 1, .began) + script.sounds("phone")
  }

  private func hangUp(_ script: inout Script) -> [String] { script.hear("phone", 1, .ended) }

  @Test func `a call makes another program inactive until it ends`() {
    var script = stage()
    #expect(ring(&script).contains("game: willResignActive"))
    #expect(script.did("game") == [])
    #expect(script.state("game") == .inactive)
    #expect(hangUp(&script).contains("game: didBecomeActive"))
    #expect(script.state("game") == .active)
  }

  @Test func `the program in the call stays active`() {
    var script = stage()
    script.command("phone", .foreground)
    for _ in 0..<2 { script.did("phone") }
    _ = ring(&script)
    #expect(script.state("phone") == .active)
  }

  @Test func `the user may return to a program while the call goes on`() {
    var script = stage()
    _ = ring(&script)
    script.did("game")
    #expect(script.command("game", .foreground) == ["ok", "game: didBecomeActive"])
    script.did("game")
    #expect(!hangUp(&script).contains { $0.hasPrefix("game") })
  }

  @Test func `a call does not reach a program in the background`() {
    var script = stage()
    script.sendToBackground("game")
    #expect(!ring(&script).contains { $0.hasPrefix("game") })
    script.command("game", .foreground)
    #expect(script.did("game") == ["game: didBecomeActive"])
  }

  @Test func `the end of the program in the call is the end of the call`() {
    var script = stage()
    _ = ring(&script)
    script.did("game")
    #expect(script.feed(.exited(script.id("phone"), .signaled(9))).contains("game: didBecomeActive"))
  }

  @Test func `after a call it is still behind the lock`() {
    var script = stage()
    _ = ring(&script)
    script.did("game")
    script.feed(.surrounding(.lock(true)))
    script.did("game")
    script.did("game")
    #expect(!hangUp(&script).contains { $0.hasPrefix("game") })
    #expect(script.state("game") == .background)
  }
}
