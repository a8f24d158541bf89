import LullEngine
import TestSupport
import Testing

/// A call that rings, which the shell plays as an unmanaged client with the modes of a phone.
@Suite(.bounded) struct RingTests {
  private func ring(_ script: inout Script, _ name: String, session: UInt32) -> [String] {
    script.register(name, [.voip, .audio]) { ($0.speaks, $0.isUnmanaged) = (false, true) }
    return script.open(name, .playAndRecord) + script.hear(name, session, .began)
  }

  @Test func `a call that rings interrupts music, which goes on after it`() {
    var script = Script()
    script.playing()
    #expect(
      ring(&script, "ring", session: 2) == [
        "ok, session 2", "player: interruption of session 1 began", "hold player's session 1",
      ])
    let effects = script.hear("ring", 2, .ended)
    #expect(effects.contains("player: interruption of session 1 ended(shouldResume: true)"), "\(effects)")
    #expect(effects.contains("play player's session 1"), "\(effects)")
  }

  @Test func `a call that rings is quiet while another call goes on, and loud after it`() {
    var script = Script()
    script.launched("phone", [.voip, .audio])
    script.open("phone", .playAndRecord)
    script.hear("phone", 1, .began)
    script.sounds("phone")
    #expect(ring(&script, "ring", session: 2) == ["ok, session 2", "duck ring's session 2"])
    #expect(script.hear("phone", 1, .ended) == ["play ring's session 2"])
  }

  @Test func `the machine stays up while a call rings`() {
    var script = Script()
    _ = ring(&script, "ring", session: 1)
    #expect(script.engine.holdsMachine)
    script.hear("ring", 1, .ended)
    script.feed(.leave(script.id("ring")))
    #expect(!script.engine.holdsMachine)
  }
}
