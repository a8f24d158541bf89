import Lull
import TestSupport
import Testing

@testable import LullPlayer
@testable import lull_player

/// The place that is shown, and that requests act on, is the place that is heard, not the place that is
/// decoded.
@Suite(.bounded) struct HeardPlaceTests {
  @Test func `the current item changes when the next one is heard, and the player is woken for it`() throws {
    let stage = try Stage(seconds: 30, lowWater: 1)
    try stage.add(ramp(24_000), ramp(80_000))
    try stage.player.play()
    #expect(stage.output.written > 24_000, "the second item is not decoded ahead")
    stage.forgetChanges()
    stage.output.hear(23_999)
    #expect(stage.title == "a.wav")
    #expect(stage.output.wants == 0)
    stage.output.hear(1)
    #expect(stage.output.wants == 0)
    stage.output.hear(1)
    #expect(stage.output.wants == 1)
    #expect(stage.title == "b.wav")
    #expect(stage.changes == [.currentItem])
    #expect(stage.output.queued == 80_000 - 1, "it was woken and did not fill the buffer")
  }

  @Test func `the position is that of the frame that is heard`() throws {
    let stage = try Stage()
    try stage.add(ramp(40_000))
    try stage.player.play()
    stage.output.hear(12_000)
    #expect(stage.player.position == 1.5)
    stage.player.pause()
    stage.output.hear(8000)
    #expect(stage.player.position == 1.5)
    #expect(stage.player.status == .paused)
    try stage.player.play()
    stage.hearAll()
    #expect(stage.heard == ramp(40_000).bytes)
  }

  @Test func `a pause while the last frames are heard does not keep it playing for ever`() throws {
    let stage = try Stage()
    try stage.add(ramp(8000))
    try stage.player.play()
    stage.output.hear(4000)
    stage.player.pause()
    stage.output.hear(100)
    try stage.player.play()
    stage.hearAll()
    #expect(stage.heard == ramp(8000).bytes)
    #expect(stage.player.status == .stopped)
  }

  @Test func `after a pause the next refill is asked for`() throws {
    let stage = try Stage(seconds: 2, lowWater: 0.5)
    try stage.add(ramp(80_000))
    try stage.player.play()
    for _ in 0..<12 {
      stage.player.pause()
      stage.output.hear(100)
      try stage.player.play()
      stage.output.hear(5000)
    }
    stage.hearAll()
    #expect(stage.heard == ramp(80_000).bytes)
  }

  @Test func `a seek drops what is decoded and goes on at the place`() throws {
    let stage = try Stage()
    let sound = ramp(80_000)
    try stage.add(sound)
    try stage.player.play()
    stage.output.hear(1000)
    try stage.player.seek(to: 5)
    // The output has not seen the flush yet, and has no room.
    #expect(stage.player.position == 5)
    stage.hearAll()
    #expect(stage.outputs.count == 1)
    #expect(stage.heard == Array(sound[..<2000]).bytes + Array(sound[80_000...]).bytes)
  }

  @Test func `seeks by an offset begin at the place that is heard and stay in the item`() throws {
    let stage = try Stage()
    try stage.add(ramp(80_000))
    try stage.player.play()
    stage.output.hear(16_000)
    try stage.player.seek(by: 3)
    #expect(stage.player.position == 5)
    try stage.player.seek(by: -9)
    #expect(stage.player.position == 0)
  }

  @Test func `next and previous act on the item that is heard`() throws {
    let stage = try Stage()
    let sounds = [ramp(2000), ramp(2000, from: 5000), ramp(2000, from: 9000)]
    for sound in sounds { try stage.add(sound) }
    try stage.player.play()
    stage.output.hear(500)
    stage.player.next()
    #expect(stage.title == "b.wav")
    stage.output.hear(100)
    stage.player.previous()
    #expect(stage.title == "a.wav")
    stage.output.hear(100)
    stage.player.next()
    stage.player.next()
    stage.hearAll()
    let pieces = [
      sounds[0].prefix(1000), sounds[1].prefix(200), sounds[0].prefix(200), sounds[2].prefix(4000),
    ]
    #expect(stage.heard == Array(pieces.joined()).bytes)
  }

  @Test func `after the last item next stops, and play begins anew`() throws {
    let stage = try Stage()
    try stage.add(ramp(2000), ramp(2000))
    try stage.player.play(stage.player.queue.items[1].id)
    stage.player.next()
    #expect(stage.player.status == .stopped)
    #expect(stage.player.currentItem == nil)
    #expect(stage.output.isClosed)
    try stage.player.play()
    #expect(stage.title == "a.wav")
  }

  @Test func `a paused player changes its place without a sound and plays from there`() throws {
    let stage = try Stage()
    let sound = ramp(16_000)
    try stage.add(ramp(8000), sound)
    try stage.player.play()
    stage.output.hear(100)
    stage.player.pause()
    stage.player.next()
    try stage.player.seek(to: 1)
    #expect(stage.title == "b.wav")
    #expect(stage.player.position == 1)
    #expect(stage.outputs.count == 1)
    try stage.player.play()
    stage.hearAll()
    #expect(stage.output.heard == Array(sound[16_000...]).bytes)
  }

  @Test func `stop begins with the item's start again`() throws {
    let stage = try Stage()
    try stage.add(ramp(8000))
    try stage.player.play()
    stage.output.hear(4000)
    stage.player.stop()
    #expect(stage.player.status == .stopped)
    #expect(stage.title == "a.wav")
    #expect(stage.player.position == 0)
    #expect(stage.output.isClosed)
  }

  @Test func `a seek beyond the end is the next item`() throws {
    let stage = try Stage()
    try stage.add(ramp(8000), ramp(8000))
    try stage.player.play()
    try stage.player.seek(by: 100)
    #expect(stage.title == "b.wav")
  }
}
