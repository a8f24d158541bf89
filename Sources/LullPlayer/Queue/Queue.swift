/// The mode of repeating. Raw values are the command line's words.
public enum RepeatMode: String, CaseIterable, Sendable {
  /// Nothing is repeated: the player stops after the last item.
  case off
  /// After the last item comes the first.
  case all
  /// After each item comes the same item.
  case one
}

/// The items to play, their order and their successors. The queue knows nothing of sound.
public struct Queue: Equatable {
  /// The items, in the order in which they were added.
  public private(set) var items: [PlayerItem] = []
  /// The item that was heard last, or is to be heard next; nil before the first and after the last.
  public private(set) var current: ItemID?
  /// The mode of repeating.
  public internal(set) var repeatMode = RepeatMode.off
  /// The order of playing when it is random; nil for the items' own order.
  private var shuffled: [ItemID]?
  private var lastNumber: UInt64 = 0

  init() {}

  /// True when the queue has no item.
  public var isEmpty: Bool { items.isEmpty }
  /// True when the items are played in a random order, which stays the same until shuffling begins anew.
  public var isShuffled: Bool { shuffled != nil }

  /// The index of an item, from 0.
  public func index(of id: ItemID) -> Int? { items.firstIndex { $0.id == id } }

  /// The item; nil when it is no longer in the queue.
  public subscript(id: ItemID) -> PlayerItem? { items.first { $0.id == id } }

  var currentItem: PlayerItem? { current.flatMap { self[$0] } }

  private var order: [ItemID] { shuffled ?? items.map(\.id) }

  /// Puts an item at the end; the description is nil when it was not opened.
  @discardableResult
  mutating func append(_ entry: QueueEntry, description: MediaDescription? = nil) -> PlayerItem {
    lastNumber += 1
    let item = PlayerItem(id: ItemID(number: lastNumber), entry, description: description)
    items.append(item)
    if let order = shuffled {
      let begin = current.flatMap { order.firstIndex(of: $0) }.map { $0 + 1 } ?? 0
      shuffled?.insert(item.id, at: Int.random(in: begin...order.count))
    }
    return item
  }

  /// The item that is played after an item that ended by itself; nil: none.
  func successor(of id: ItemID) -> ItemID? {
    repeatMode == .one && self[id] != nil ? id : following(id)
  }

  /// The next item for a user who asks for it, also while one item is repeated, or the first item after nil;
  /// nil: there is none.
  public func following(_ id: ItemID?) -> ItemID? { neighbour(of: id, in: order) }

  /// The item before; nil before the first, unless all items are repeated.
  public func preceding(_ id: ItemID?) -> ItemID? { neighbour(of: id, in: order.reversed()) }

  private func neighbour(of id: ItemID?, in order: [ItemID]) -> ItemID? {
    guard let id, let index = order.firstIndex(of: id) else { return order.first }
    if index + 1 < order.count { return order[index + 1] }
    return repeatMode == .all ? order.first : nil
  }

  mutating func select(_ id: ItemID?) { current = id.flatMap { index(of: $0) == nil ? nil : $0 } }

  /// Takes an item out. If it was current, the item that is played after it becomes current.
  @discardableResult
  mutating func remove(_ id: ItemID) -> PlayerItem? {
    guard let index = index(of: id) else { return nil }
    if current == id {
      let order = order
      current = order.firstIndex(of: id).flatMap { $0 + 1 < order.count ? order[$0 + 1] : nil }
    }
    shuffled?.removeAll { $0 == id }
    return items.remove(at: index)
  }

  mutating func clear() {
    (items, current) = ([], nil)
    if isShuffled { shuffled = [] }
  }

  mutating func update(_ id: ItemID, _ change: (inout PlayerItem) -> Void) {
    if let index = index(of: id) { change(&items[index]) }
  }

  /// Shuffles the items, with the current item first, or restores their own order.
  mutating func shuffle(_ flag: Bool) {
    guard flag else { return shuffled = nil }
    let rest = items.map(\.id).filter { $0 != current }.shuffled()
    shuffled = (current.map { [$0] } ?? []) + rest
  }
}
