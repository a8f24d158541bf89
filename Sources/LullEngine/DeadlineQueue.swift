/// The deadlines of all programs: a binary heap that knows the place of each slot. A deadline moves in O(log
/// n) and the first is found in O(1).
struct DeadlineQueue: Sendable {
  private struct Entry: Sendable {
    var moment: Moment
    var slot: Int32
  }

  private var heap: [Entry] = []
  /// The place in the heap by slot; -1 for a slot without a deadline.
  private var places: [Int32] = []

  var first: (moment: Moment, slot: Int)? {
    heap.first.map { ($0.moment, Int($0.slot)) }
  }

  /// `never` removes the deadline.
  mutating func set(_ slot: Int, _ moment: Moment) {
    while places.count <= slot { places.append(-1) }
    let place = Int(places[slot])
    switch (place >= 0, moment == .never) {
    case (false, true): return
    case (false, false):
      heap.append(Entry(moment: moment, slot: Int32(slot)))
      places[slot] = Int32(heap.count - 1)
      rise(heap.count - 1)
    case (true, true): remove(at: place)
    case (true, false):
      let old = heap[place].moment
      guard old != moment else { return }
      heap[place].moment = moment
      if moment < old { rise(place) } else { sink(place) }
    }
  }

  private mutating func remove(at place: Int) {
    places[Int(heap[place].slot)] = -1
    let last = heap.removeLast()
    guard place < heap.count else { return }
    heap[place] = last
    places[Int(last.slot)] = Int32(place)
    rise(place)
    sink(Int(places[Int(last.slot)]))
  }

  private mutating func rise(_ start: Int) {
    var place = start
    while place > 0 {
      let parent = (place - 1) / 2
      guard heap[place].moment < heap[parent].moment else { return }
      exchange(place, parent)
      place = parent
    }
  }

  private mutating func sink(_ start: Int) {
    var place = start
    while true {
      var least = place
      let left = 2 * place + 1
      if left < heap.count, heap[left].moment < heap[least].moment { least = left }
      if left + 1 < heap.count, heap[left + 1].moment < heap[least].moment { least = left + 1 }
      guard least != place else { return }
      exchange(place, least)
      place = least
    }
  }

  private mutating func exchange(_ a: Int, _ b: Int) {
    heap.swapAt(a, b)
    places[Int(heap[a].slot)] = Int32(a)
    places[Int(heap[b].slot)] = Int32(b)
  }
}
