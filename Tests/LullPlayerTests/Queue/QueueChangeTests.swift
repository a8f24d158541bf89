import Lull
import TestSupport
import Testing

@testable import LullPlayer
@testable import lull_player

/// Changes of the queue while its frames are decoded far ahead.
@Suite(.bounded) struct QueueChangeTests {
  @Test func `an item that is removed is not heard, though it was decoded`() throws {
    let stage = try Stage(seconds: 30, lowWater: 1)
    let sounds = [ramp(4000), ramp(4000, from: 4000), ramp(4000, from: 8000)]
    for sound in sounds { try stage.add(sound) }
    try stage.player.play()
    stage.output.hear(1000)
    stage.player.remove(stage.player.queue.items[1].id)
    stage.hearAll()
    #expect(stage.heard == (sounds[0] + sounds[2]).bytes)
  }

  @Test func `the item that is heard can be removed`() throws {
    let stage = try Stage()
    let sounds = [ramp(4000), ramp(4000, from: 4000)]
    for sound in sounds { try stage.add(sound) }
    try stage.player.play()
    stage.output.hear(1000)
    stage.player.remove(stage.player.queue.items[0].id)
    #expect(stage.title == "b.wav")
    stage.hearAll()
    #expect(stage.heard == Array(sounds[0].prefix(2000)).bytes + sounds[1].bytes)
  }

  @Test func `the last item that is heard is removed: the player stops`() throws {
    let stage = try Stage()
    try stage.add(ramp(4000))
    try stage.player.play()
    stage.player.remove(stage.player.queue.items[0].id)
    #expect(stage.player.status == .stopped)
    #expect(stage.player.queue.isEmpty)
  }

  @Test func `one item is repeated without a gap, until it no longer is`() throws {
    let stage = try Stage()
    let (one, two) = (ramp(5000), ramp(3000, from: 5000))
    try stage.add(one, two)
    stage.player.setRepeatMode(.one)
    try stage.player.play()
    for _ in 0..<12 { stage.output.hear(1000) }
    #expect(stage.title == "a.wav")
    #expect(stage.player.position == 2000.0 / 8000)
    stage.player.setRepeatMode(.off)
    stage.hearAll()
    #expect(stage.heard == (one + one + one + two).bytes)
  }

  @Test func `the whole queue is repeated`() throws {
    let stage = try Stage()
    let (one, two) = (ramp(5000), ramp(3000, from: 5000))
    try stage.add(one, two)
    stage.player.setRepeatMode(.all)
    try stage.player.play()
    for _ in 0..<160 { stage.output.hear(100) }
    #expect(stage.heard == (one + two + one + two).bytes)
    stage.player.next()
    #expect(stage.title == "b.wav")
    stage.player.next()
    #expect(stage.title == "a.wav")
  }

  @Test func `shuffling changes what follows, also where it is decoded already, and the song goes on`() throws
  {
    let stage = try Stage(seconds: 30, lowWater: 1)
    let sounds = (0..<6).map { ramp(900, from: $0 * 1000) }
    for sound in sounds { try stage.add(sound) }
    try stage.player.play()
    stage.output.hear(100)
    stage.player.setShuffle(true)
    var order: [Int] = []
    var id = stage.player.currentItem?.id
    while let item = id, order.count < 6 {
      order.append(try #require(stage.player.queue.index(of: item)))
      id = stage.player.queue.following(item)
    }
    #expect(order.first == 0 && order.sorted() == Array(0..<6))
    stage.hearAll()
    #expect(stage.heard == order.map { sounds[$0].bytes }.reduce(Sound([]), +))
    #expect(stage.changes.contains(.shuffle))
  }

  @Test func `clear stops and forgets`() throws {
    let stage = try Stage()
    try stage.add(ramp(4000))
    try stage.player.play()
    stage.player.clear()
    #expect(stage.player.queue.isEmpty)
    #expect(stage.player.status == .stopped)
    #expect(throws: QueuePlayer.Refusal.self) { try stage.player.play() }
  }

  @Test func `the volume is the gain's cube root`() throws {
    let stage = try Stage()
    try stage.add(ramp(4000))
    try stage.player.play()
    #expect(stage.output.gain == 1)
    stage.player.setVolume(50)
    #expect(stage.output.gain == 0.125)
    stage.player.setVolume(-3)
    #expect(stage.output.gain == 0)
    #expect(stage.player.volume == 0)
  }
}
