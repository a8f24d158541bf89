import TestSupport
import Testing

@testable import LullMedia

@Suite(.bounded) struct SequenceTests {
  private func arrivals(_ numbers: [UInt16]) -> (
    tracker: SequenceTracker, arrivals: [SequenceTracker.Arrival]
  ) {
    var tracker = SequenceTracker(expecting: numbers[0])
    let arrivals = numbers.map { tracker.note($0) }
    return (tracker, arrivals)
  }

  @Test func `Losses are counted across the wrap of the numbers`() {
    let (tracker, arrivals) = arrivals([65534, 65535, 1, 2])
    #expect(arrivals == [.inOrder, .inOrder, .inOrder, .inOrder])
    #expect(tracker.expected == 5 && tracker.lost == 1 && tracker.highest == 0x1_0002)
  }

  @Test func `The numbers may begin at zero`() {
    let (tracker, _) = arrivals([0, 1])
    #expect(tracker.expected == 2 && tracker.lost == 0 && tracker.highest == 1)
  }

  @Test func `One that was overtaken counts, a second copy does not`() {
    let (tracker, arrivals) = arrivals([10, 12, 11, 11, 12, 10])
    #expect(arrivals == [.inOrder, .inOrder, .overtaken, .duplicate, .duplicate, .duplicate])
    #expect(tracker.lost == 0 && tracker.received == 3)
  }

  @Test func `A number far away is believed when the next one follows it`() {
    let (tracker, arrivals) = arrivals([10, 40_000, 11, 40_000, 40_001, 40_002])
    #expect(arrivals == [.inOrder, .strange, .inOrder, .strange, .restarted, .inOrder])
    #expect(tracker.lost == 0 && tracker.highest == 40_002)
  }

  @Test func `The fraction is of the packets since the last report`() {
    var tracker = SequenceTracker(expecting: 0)
    for number in 0..<100 as Range<UInt16> where number % 4 != 1 { _ = tracker.note(number) }
    #expect(tracker.takeFractionLost() == 64)
    for number in 100..<200 as Range<UInt16> { _ = tracker.note(number) }
    #expect(tracker.takeFractionLost() == 0)
    #expect(tracker.takeFractionLost() == 0)
  }

  @Test func `The jitter of even arrivals is nothing, and that of uneven ones approaches their difference`() {
    var (even, uneven) = (InterarrivalJitter(), InterarrivalJitter())
    for number in 0..<200 as Range<UInt32> {
      let time = Int64(number) * 20_000_000
      even.note(timestamp: number &* 960 &- 5000, at: time)
      uneven.note(timestamp: number &* 960, at: time + (number % 2 == 0 ? 0 : 2_000_000))
    }
    #expect(even.samples < 1)
    #expect(abs(uneven.samples - 96) < 2)
  }
}
