import TestSupport
import Testing

@testable import LullPlayer
@testable import lull_player

@Suite(.bounded) struct TimelineTests {
  private let one = ItemID(number: 1)
  private let two = ItemID(number: 2)

  @Test func `a position belongs to the item whose frames stand there`() {
    var timeline = ItemTimeline()
    timeline.append(one, frame: 500, at: 0)
    timeline.append(two, frame: 0, at: 1000)
    let (first, second, third) = (timeline.place(at: 0), timeline.place(at: 999), timeline.place(at: 1000))
    #expect(first?.item == one && first?.frame == 500)
    #expect(second?.item == one && second?.frame == 1499)
    #expect(third?.item == two && third?.frame == 0)
    #expect(timeline.nextStart(after: 999) == 1000)
    #expect(timeline.nextStart(after: 1000) == nil)
  }

  @Test func `what has no frame leaves no trace`() {
    var timeline = ItemTimeline()
    timeline.append(one, frame: 0, at: 0)
    timeline.append(two, frame: 0, at: 700)
    timeline.append(one, frame: 42, at: 700)
    #expect(timeline.segment(at: 700) == ItemTimeline.Segment(start: 700, item: one, frame: 42))
    #expect(!timeline.begins(two, after: 0))
    #expect(timeline.begins(one, after: 0))
  }

  @Test func `what was heard is forgotten, but for the segment that is heard`() {
    var timeline = ItemTimeline()
    for number in 0..<5 {
      timeline.append(ItemID(number: UInt64(number)), frame: 0, at: UInt64(number) * 100)
    }
    timeline.forget(before: 250)
    #expect(timeline.segment(at: 0)?.item == two)
    #expect(timeline.segment(at: 299)?.item == two)
    #expect(timeline.segment(at: 300)?.item == ItemID(number: 3))
    #expect(ItemTimeline().place(at: 7) == nil)
  }
}
