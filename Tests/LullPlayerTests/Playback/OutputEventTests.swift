import Lull
import TestSupport
import Testing

@testable import LullPlayer
@testable import lull_player

@Suite(.bounded) struct OutputEventTests {
  private func playing() throws -> Stage {
    let stage = try Stage()
    try stage.add(ramp(40_000))
    try stage.player.play()
    stage.output.hear(8000)
    stage.forgetChanges()
    return stage
  }

  @Test func `an interruption is shown, and with shouldResume the music goes on`() throws {
    let stage = try playing()
    stage.output.tell(.interruptionBegan)
    #expect(stage.player.status == .interrupted)
    stage.output.tell(.interruptionEnded(shouldResume: true))
    #expect(stage.player.status == .playing)
    #expect(stage.changes == [.status, .status])
  }

  @Test func `without shouldResume it is paused until the user plays`() throws {
    let stage = try playing()
    stage.output.tell(.interruptionBegan)
    stage.output.tell(.interruptionEnded(shouldResume: false))
    #expect(stage.player.status == .paused)
    #expect(stage.output.state == .paused)
    try stage.player.play()
    #expect(stage.output.state == .running)
  }

  @Test func `a pause during an interruption holds after it`() throws {
    let stage = try playing()
    stage.output.tell(.interruptionBegan)
    stage.player.pause()
    stage.output.tell(.interruptionEnded(shouldResume: true))
    #expect(stage.player.status == .paused)
    #expect(stage.output.state == .paused)
  }

  @Test func `a device that is gone is waited for, and the music goes on by itself when it is back`() throws {
    let stage = try playing()
    stage.output.tell(.routeChanged(device: "hdmi"))
    #expect(stage.player.status == .playing)
    stage.output.tell(.routeChanged(device: nil))
    #expect(stage.player.status == .interrupted)
    #expect(stage.player.note == "no sound device can be opened; the music goes on when one can")
    stage.output.tell(.routeChanged(device: "headset"))
    #expect(stage.player.status == .playing)
    #expect(stage.output.state == .running)
    #expect(stage.player.note == "the sound goes to headset")
  }

  @Test func `who pauses while the device is gone is obeyed when it is back`() throws {
    let stage = try playing()
    stage.output.tell(.routeChanged(device: nil))
    stage.player.pause()
    stage.output.tell(.routeChanged(device: "headset"))
    #expect(stage.player.status == .paused)
    #expect(stage.output.state == .paused)
  }

  @Test func `a device that comes back does not end another program's interruption`() throws {
    let stage = try playing()
    stage.output.tell(.interruptionBegan)
    stage.output.tell(.routeChanged(device: nil))
    stage.output.tell(.routeChanged(device: "headset"))
    #expect(stage.player.status == .interrupted)
    stage.output.tell(.interruptionEnded(shouldResume: true))
    #expect(stage.player.status == .playing)
  }

  @Test func `a session that failed pauses at the place, and play opens another one`() throws {
    let stage = try playing()
    stage.output.tell(.failed(.refused("no sound device can be opened")))
    #expect(stage.player.status == .paused)
    #expect(stage.player.note == "no sound device can be opened")
    #expect(stage.player.position == 1)
    try stage.player.play()
    stage.output.hear(1)
    #expect(stage.outputs.count == 2)
    #expect(stage.output.heard == Array(ramp(40_000)[16_000..<16_002]).bytes)
  }

  @Test func `where no session can be opened play says why`() throws {
    let stage = try Stage()
    try stage.add(ramp(8000))
    stage.refuseOutputs(.daemonUnavailable("no daemon"))
    #expect(throws: QueuePlayer.Refusal(reason: "no daemon")) { try stage.player.play() }
    #expect(stage.player.status == .paused)
    stage.refuseOutputs(nil)
    try stage.player.play()
    #expect(stage.player.status == .playing)
    #expect(stage.player.note == nil)
  }
}
