import LullEngine
import TestSupport
import Testing

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
