/// The items to play, their order and their successors. The queue knows nothing of sound.
public struct Queue: Equatable {
  /// The items, in the order in which they were added.
  public private(set) var items: [PlayerItem] = []
  /// The item that was heard last, or is to be heard next; nil before the first and after the last.
  public private(set) var current: ItemID?
  /// The mode of repeating.
  public var repeatMode = RepeatMode.off
  /// The order of playing when it is random; nil for the items' own order.
  private var shuffled: [ItemID]?
  private var lastNumber: UInt64 = 0

  /// An empty queue.
  public init() {}

  /// True when the queue has no item.
  public var isEmpty: Bool { items.isEmpty }

  /// The index of an item, from 0.
  public func index(of id: ItemID) -> Int? { items.firstIndex { $0.id == id } }

  /// The item; nil when it is no longer in the queue.
  public subscript(id: ItemID) -> PlayerItem? { items.first { $0.id == id } }

  /// The index of the current item, from 0.
  public var currentIndex: Int? { current.flatMap(index) }
  /// The current item.
  public var currentItem: PlayerItem? { current.flatMap { self[$0] } }

  /// Puts an item at the end; the description is nil when it was not opened.
  @discardableResult
  public mutating func append(
    _ entry: QueueEntry, description: MediaDescription? = nil
  ) -> PlayerItem {
    lastNumber += 1
    let item = PlayerItem(
      id: ItemID(number: lastNumber), entry, description: description)
    items.append(item)
    insertShuffled(item.id)
    return item
  }

  /// The item that is played after an item that ended by itself; nil: none.
  public func successor(of id: ItemID) -> ItemID? {
    repeatMode == .one && self[id] != nil ? id : following(id)
  }

  /// The next item for a user who asks for it, also while one item is repeated; nil: there is none.
  public func following(_ id: ItemID?) -> ItemID? {
    let order = order
    guard let id, let index = order.firstIndex(of: id) else { return order.first }
    if index + 1 < order.count { return order[index + 1] }
    return repeatMode == .all ? order.first : nil
  }

  /// The item before; nil before the first, unless all items are repeated.
  public func preceding(_ id: ItemID?) -> ItemID? {
    let order = order
    guard let id, let index = order.firstIndex(of: id) else { return order.last }
    if index > 0 { return order[index - 1] }
    return repeatMode == .all ? order.last : nil
  }

  /// Makes an item the current one; nil: none.
  public mutating func select(_ id: ItemID?) {
    current = id.flatMap { index(of: $0) == nil ? nil : $0 }
  }

  /// Takes an item out. If it was current, the item that is played after it becomes current.
  @discardableResult
  public mutating func remove(_ id: ItemID) -> PlayerItem? {
    guard let index = index(of: id) else { return nil }
    if current == id {
      let order = order
      current = order.firstIndex(of: id).flatMap { $0 + 1 < order.count ? order[$0 + 1] : nil }
    }
    shuffled?.removeAll { $0 == id }
    return items.remove(at: index)
  }

  /// Takes all items out.
  public mutating func clear() {
    items = []
    current = nil
    if isShuffled { shuffled = [] }
  }

  /// Changes the description or the status of an item.
  public mutating func update(_ id: ItemID, _ change: (inout PlayerItem) -> Void) {
    guard let index = index(of: id) else { return }
    change(&items[index])
  }
}

extension Queue {
  /// True when the items are played in a random order, which stays the same until shuffling begins anew.
  public var isShuffled: Bool { shuffled != nil }

  /// The item that is played first.
  public var first: ItemID? { order.first }

  /// Shuffles the items, with the current item first, or restores their own order.
  public mutating func shuffle(_ flag: Bool) {
    guard flag else { return shuffled = nil }
    let rest = items.map(\.id).filter { $0 != current }.shuffled()
    shuffled = (current.map { [$0] } ?? []) + rest
  }

  private var order: [ItemID] { shuffled ?? items.map(\.id) }

  private mutating func insertShuffled(_ id: ItemID) {
    guard let order = shuffled else { return }
    let begin = current.flatMap { order.firstIndex(of: $0) }.map { $0 + 1 } ?? 0
    shuffled?.insert(id, at: Int.random(in: begin...order.count))
  }
}
