import LullEngine

/// The happenings to come, ordered by their moments; happenings of one moment come in random order.
///
/// The heap holds plain numbers and the items lie beside it: a debug build spends its time on copies.
struct Agenda {
  private struct Entry {
    var moment: Int64
    var order: UInt64
    var place: Int
  }

  private var heap: [Entry] = []
  private var items: [World.Happening] = []
  private var free: [Int] = []

  mutating func add(_ item: World.Happening, at moment: Moment, order: UInt64) {
    let entry = Entry(moment: moment.nanoseconds, order: order, place: store(item))
    heap.append(entry)
    var hole = heap.count - 1
    while hole > 0 {
      let parent = (hole - 1) / 2
      let above = heap[parent]
      guard Self.precedes(entry, above) else { break }
      heap[hole] = above
      hole = parent
    }
    heap[hole] = entry
  }

  mutating func next() -> (moment: Moment, item: World.Happening)? {
    guard let last = heap.popLast() else { return nil }
    guard let first = heap.first else { return take(last) }
    var hole = 0
    while 2 * hole + 1 < heap.count {
      var child = 2 * hole + 1
      if child + 1 < heap.count, Self.precedes(heap[child + 1], heap[child]) { child += 1 }
      let below = heap[child]
      guard Self.precedes(below, last) else { break }
      heap[hole] = below
      hole = child
    }
    heap[hole] = last
    return take(first)
  }

  mutating func wait(_ time: Interval) {
    for place in heap.indices { heap[place].moment += time.nanoseconds }
  }

  private mutating func store(_ item: World.Happening) -> Int {
    guard let place = free.popLast() else {
      items.append(item)
      return items.count - 1
    }
    items[place] = item
    return place
  }

  private mutating func take(_ entry: Entry) -> (moment: Moment, item: World.Happening) {
    free.append(entry.place)
    return (Moment(nanoseconds: entry.moment), items[entry.place])
  }

  private static func precedes(_ a: Entry, _ b: Entry) -> Bool {
    a.moment < b.moment || (a.moment == b.moment && a.order < b.order)
  }
}
