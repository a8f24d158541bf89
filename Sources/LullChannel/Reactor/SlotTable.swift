/// A place in a `SlotTable`, and the generation that tells apart the elements that stood there one after the
/// other.
package struct Slot: Hashable, Sendable {
  package let index: UInt32
  /// Counts the elements that stood there before, modulo 2^32.
  package let generation: UInt32

  @inlinable package init(index: UInt32, generation: UInt32) {
    (self.index, self.generation) = (index, generation)
  }

  @inlinable package init(raw: UInt64) {
    self.init(index: UInt32(truncatingIfNeeded: raw), generation: UInt32(raw >> 32))
  }

  @inlinable package var raw: UInt64 { UInt64(generation) << 32 | UInt64(index) }
}

/// Elements by slot. The slot of an element that was removed finds nothing, also when another element has its
/// place.
package struct SlotTable<Element> {
  @usableFromInline struct Entry {
    @usableFromInline var generation: UInt32
    @usableFromInline var element: Element?

    @usableFromInline init(generation: UInt32, element: Element?) {
      (self.generation, self.element) = (generation, element)
    }
  }

  @usableFromInline var entries: [Entry] = []
  @usableFromInline var free: [UInt32] = []

  package init() {}

  package var count: Int { entries.count - free.count }
  package var elements: [Element] { entries.compactMap(\.element) }

  @inlinable package subscript(slot: Slot) -> Element? {
    let index = Int(slot.index)
    guard index < entries.count, entries[index].generation == slot.generation else { return nil }
    return entries[index].element
  }

  @inlinable package mutating func insert(_ element: Element) -> Slot {
    let slot = takeSlot()
    entries[Int(slot.index)].element = element
    return slot
  }

  @inlinable package mutating func insert(making make: (Slot) -> Element) -> Element {
    let slot = takeSlot()
    let element = make(slot)
    entries[Int(slot.index)].element = element
    return element
  }

  @inlinable mutating func takeSlot() -> Slot {
    if free.isEmpty {
      free.append(UInt32(entries.count))
      entries.append(Entry(generation: 0, element: nil))
    }
    let index = free.removeLast()
    return Slot(index: index, generation: entries[Int(index)].generation)
  }

  @inlinable @discardableResult
  package mutating func remove(_ slot: Slot) -> Element? {
    guard let element = self[slot] else { return nil }
    let index = Int(slot.index)
    entries[index] = Entry(generation: entries[index].generation &+ 1, element: nil)
    free.append(slot.index)
    return element
  }
}
