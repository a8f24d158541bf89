import TestSupport
import Testing

@testable import LullPlayer
@testable import lull_player

@Suite(.bounded) struct QueueTests {
  private func queue(_ count: Int) -> Queue {
    var queue = Queue()
    for number in 0..<count { queue.append(QueueEntry(MediaLocation(path: "/music/\(number).wav"))) }
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
    #expect(queue.current.flatMap(queue.index) == 0)
    queue.remove(ids[1])
    #expect(queue.current == ids[2])
    queue.remove(ids[2])
    #expect(queue.current == nil)
    queue.append(QueueEntry(MediaLocation(path: "/music/new.wav")))
    #expect(!ids.contains(queue.items[0].id))
  }

  @Test func `shuffled, every item is played once, the current one first`() {
    var queue = queue(50)
    let ids = queue.items.map(\.id)
    queue.select(ids[20])
    queue.shuffle(true)
    var heard = [ids[20]]
    while let next = queue.following(heard.last) { heard.append(next) }
    #expect(heard != ids && heard.sorted() == ids)
    #expect(queue.items.map(\.id) == ids)
    #expect(queue.preceding(heard[7]) == heard[6])
    queue.select(heard[48])
    let added = queue.append(QueueEntry(MediaLocation(path: "/music/new.wav"))).id
    #expect(queue.following(heard[48]) == added || queue.following(heard[49]) == added)
    queue.remove(heard[48])
    #expect(queue.preceding(heard[49]) != heard[48])
    queue.shuffle(false)
    let rest = ids.filter { $0 != heard[48] }
    #expect(queue.following(rest[0]) == rest[1])
  }

  @Test func `what is not there is not selected`() {
    var queue = queue(1)
    queue.select(ItemID(number: 99))
    #expect(queue.current == nil)
    #expect(queue.remove(ItemID(number: 99)) == nil)
    #expect(Queue().following(nil) == nil)
  }

  @Test func `an item is called by its tags, else by its file`() throws {
    var item = PlayerItem(id: ItemID(number: 1), QueueEntry(MediaLocation(path: "/music/a folder/x.wav")))
    #expect(item.title == "x.wav")
    let scratch = try Scratch()
    let path = try scratch.sound("x.flac", kind: .flac16, samples: ramp(800), title: "Song", artist: "Singer")
    item.description = try FileDecoder(path: Array(path.utf8)).description
    #expect(item.title == "Singer - Song")
    #expect(item.duration == 0.1)
  }
}
