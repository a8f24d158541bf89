import LullEngine
import TestSupport
import Testing

/// The leases of recordings and calls, and sessions that are only called so.
@Suite(.bounded) struct CallLeaseTests {
  @Test func `a call in which somebody speaks keeps awake, and half a minute after it`() throws {
    var script = Script()
    script.player("phone", modes: [.voip, .audio], category: .playAndRecord)
    script.hear("phone", 1, .began)
    script.sounds("phone")
    #expect(try script.leases("phone") == [.audible, .call])
    #expect(script.pass(to: 3600) == [])
    script.quiet("phone", 10)
    #expect(try script.view("phone").leases.map(\.ends) == [Moment(3610), Moment(3630)])
    #expect(script.pass(to: 3631) == ["3630 s: freeze phone"])
  }

  @Test func `a call in which the microphone is open keeps awake however silent the other is`() throws {
    var script = Script()
    script.player("phone", modes: [.voip, .audio], category: .playAndRecord)
    script.open("phone", .playAndRecord) { $0.direction = .capture }
    script.hear("phone", 2, .began)
    script.hear("phone", 1, .began)
    #expect(script.pass(to: 3600) == [])
    #expect(try script.leases("phone") == [.recording, .call])
    script.hear("phone", 1, .ended)
    #expect(script.hear("phone", 2, .ended) == ["freeze phone"])
  }
}

/// A conversation in which nobody speaks: a call for the others within the start grace of its program.
@Suite(.bounded) struct SilentCallTests {
  private let began = "player: interruption of session 1 began"
  private let resumes = "player: interruption of session 1 ended(shouldResume: true)"

  @Test func `silence that is called a call interrupts others for no longer than its start`() {
    var script = Script()
    script.playing()
    script.player("phone", modes: [.voip, .audio], category: .playAndRecord)
    script.command("phone", .wake)
    #expect(script.hear("phone", 2, .began) == [began, "hold player's session 1"])
    let effects = script.pass(to: 60)
    #expect(effects.contains("12 s: " + resumes) && effects.contains("12 s: play player's session 1"))
    #expect(script.sounds("phone").contains("hold player's session 1"))
  }

  /// A phone in the foreground with a silent conversation and with music, in the call of another program.
  private func silentPhone() -> Script {
    var script = Script()
    script.launched("phone", [.voip, .audio])
    script.open("phone", .playAndRecord)
    script.hear("phone", 1, .began)
    script.open("phone")
    script.hear("phone", 2, .began)
    script.pass(to: 13)
    _ = script.passingCall(script.call("other", 3))
    return script
  }

  @Test func `music that goes on makes a call of the conversation beside it, for the others at once`() {
    var script = silentPhone()
    script.launched("mixer", .audio)
    script.open("mixer") { $0.mixesWithOthers = true }
    script.hear("mixer", 4, .began)
    #expect(
      script.passingCall(script.hangUp("other", 3)) == [
        "phone: interruption of session 2 ended(shouldResume: true)", "play phone's session 2",
      ])
    #expect(script.passingCall(script.pass(to: 60)) == ["25 s: play mixer's session 4"])
  }

  @Test func `such a call interrupts other music, and does not take its place`() {
    var script = silentPhone()
    script.playing("player", 4)
    _ = script.passingCall(script.hangUp("other", 3))
    script.hear("phone", 2, .ended)
    let told = "player: interruption of session 4 ended(shouldResume: true)"
    #expect(script.passingCall(script.pass(to: 60)) == ["25 s: " + told, "25 s: play player's session 4"])
  }

  @Test func `a device that returns makes a call of a conversation on its way to sleep`() {
    var script = Script()
    script.playing()
    script.player("phone", modes: [.voip, .audio], category: .playAndRecord)
    script.hear("phone", 2, .began)
    #expect(script.pass(to: 12).contains("12 s: play player's session 1"))
    script.frozen("phone")
    script.pass(to: 100)
    script.command("phone", .wake)
    #expect(script.done("phone") == ["freeze phone"])
    #expect(script.hear("phone", 2, .resumed) == ["thaw phone", began, "hold player's session 1"])
  }

  @Test func `the silent call of a program that ends interrupts others for no longer either`() {
    var script = Script()
    script.playing()
    script.launched("phone", .voip)
    script.open("phone", .playAndRecord)
    script.hear("phone", 2, .began)
    script.pass(to: 10)
    script.command("phone", .quit)
    #expect(script.pass(to: 14) == ["12 s: " + resumes, "12 s: play player's session 1"])
  }
}

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
