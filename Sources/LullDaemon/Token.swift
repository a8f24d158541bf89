/// What an epoll registration stands for: a kind, a slot, and the generation of the slot, so that
/// an event that was already on its way when its slot was given to another finds nothing.
struct Token: Hashable {
  enum Kind: UInt8 {
    case listener, timer, wallClock, signals, guardian
    case client, line, process, exec, cgroup, child, sound, stray, member
  }

  let kind: Kind
  let generation: UInt32
  let slot: Int

  init(_ kind: Kind, slot: Int = 0, generation: UInt32 = 0) {
    self.kind = kind
    self.slot = slot
    self.generation = generation & 0xFF_FFFF
  }

  init?(_ raw: UInt64) {
    guard let kind = Kind(rawValue: UInt8(truncatingIfNeeded: raw >> 56)) else { return nil }
    self.kind = kind
    generation = UInt32(truncatingIfNeeded: raw >> 32) & 0xFF_FFFF
    slot = Int(UInt32(truncatingIfNeeded: raw))
  }

  var raw: UInt64 {
    UInt64(kind.rawValue) << 56 | UInt64(generation) << 32 | UInt64(UInt32(truncatingIfNeeded: slot))
  }
}

/// Objects by slot, with generations.
struct SlotArray<Element: AnyObject> {
  private var elements: [Element?] = []
  private var generations: [UInt32] = []
  private var free: [Int] = []
  private(set) var count = 0

  mutating func insert(_ make: (_ slot: Int, _ generation: UInt32) -> Element) -> Element {
    if free.isEmpty {
      elements.append(nil)
      generations.append(0)
      free.append(elements.count - 1)
    }
    let slot = free.removeLast()
    let element = make(slot, generations[slot])
    elements[slot] = element
    count += 1
    return element
  }

  mutating func remove(_ slot: Int) {
    guard elements[slot] != nil else { return }
    elements[slot] = nil
    generations[slot] = (generations[slot] &+ 1) & 0xFF_FFFF
    free.append(slot)
    count -= 1
  }

  subscript(token: Token) -> Element? {
    guard token.slot < elements.count, generations[token.slot] == token.generation else { return nil }
    return elements[token.slot]
  }

  /// The elements in the order of their slots.
  var all: [Element] { elements.compactMap(\.self) }
}
