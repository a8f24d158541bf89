import Testing

@testable import lull_player

@Suite struct QueueTests {
  private func queue(_ count: Int) -> Queue {
    var queue = Queue()
    for number in 0..<count { queue.append(path: "/music/\(number).wav", description: nil) }
    return queue
  }

  @Test(arguments: RepeatMode.allCases)
  func `what follows is the repeat mode's matter`(mode: RepeatMode) {
    var queue = queue(3)
    queue.repeatMode = mode
    let ids = queue.items.map(\.id)
    let ends: (by: ItemID?, asked: ItemID?, before: ItemID?) =
      switch mode {
      case .off: (nil, nil, nil)
      case .all: (ids[0], ids[0], ids[2])
      case .one: (ids[2], nil, nil)
      }
    #expect(queue.successor(of: ids[2]) == ends.by)
    #expect(queue.following(ids[2]) == ends.asked)
    #expect(queue.preceding(ids[0]) == ends.before)
    #expect(queue.following(ids[0]) == ids[1])
    #expect(queue.preceding(ids[2]) == ids[1])
    #expect(queue.following(nil) == ids[0])
  }

  @Test func `an item keeps its identity when others go, and none is given again`() {
    var queue = queue(3)
    let ids = queue.items.map(\.id)
    queue.select(ids[1])
    queue.remove(ids[0])
    #expect(queue.currentIndex == 0)
    queue.remove(ids[1])
    #expect(queue.current == ids[2])
    queue.remove(ids[2])
    #expect(queue.current == nil)
    queue.append(path: "/music/new.wav", description: nil)
    #expect(!ids.contains(queue.items[0].id))
  }

  @Test func `what is not there is not selected`() {
    var queue = queue(1)
    queue.select(ItemID(number: 99))
    #expect(queue.current == nil)
    #expect(queue.remove(ItemID(number: 99)) == nil)
    #expect(Queue().following(nil) == nil)
  }

  @Test func `an item is called by its tags, else by its file`() throws {
    var item = PlayerItem(id: ItemID(number: 1), path: "/music/a folder/x.wav")
    #expect(item.title == "x.wav")
    let scratch = try Scratch()
    let path = try scratch.sound("x.flac", .flac16, ramp(800), title: "Song", artist: "Singer")
    item.description = try Decoder(path: path).description
    #expect(item.title == "Singer - Song")
    #expect(item.duration == 0.1)
  }
}
