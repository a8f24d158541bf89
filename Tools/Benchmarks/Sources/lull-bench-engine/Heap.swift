import LullEngine

/// The floor's deadlines: a binary heap in which a slot's deadline can be moved.
struct Heap {
  private var entries: [(moment: Moment, slot: Int)] = []
  private var places: [Int] = []

  var first: (moment: Moment, slot: Int)? { entries.first.flatMap { $0.moment == .never ? nil : $0 } }

  /// `never` sinks to the end and stays there.
  mutating func set(_ slot: Int, _ moment: Moment) {
    while places.count <= slot {
      places.append(entries.count)
      entries.append((.never, places.count - 1))
    }
    let old = entries[places[slot]].moment
    entries[places[slot]].moment = moment
    if moment < old { rise(places[slot]) } else { sink(places[slot]) }
  }

  private mutating func rise(_ start: Int) {
    var place = start
    while place > 0, entries[place].moment < entries[(place - 1) / 2].moment {
      exchange(place, (place - 1) / 2)
      place = (place - 1) / 2
    }
  }

  private mutating func sink(_ start: Int) {
    var place = start
    while true {
      let left = 2 * place + 1
      var least = place
      if left < entries.count, entries[left].moment < entries[least].moment { least = left }
      if left + 1 < entries.count, entries[left + 1].moment < entries[least].moment { least = left + 1 }
      guard least != place else { return }
      exchange(place, least)
      place = least
    }
  }

  private mutating func exchange(_ one: Int, _ other: Int) {
    entries.swapAt(one, other)
    places[entries[one].slot] = one
    places[entries[other].slot] = other
  }
}
