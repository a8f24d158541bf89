/// The items to play, in order, and what follows what. It knows nothing of sound.
public struct Queue: Equatable {
  /// In the order in which they were added.
  public private(set) var items: [PlayerItem] = []
  /// What was heard last, or is to be heard next; nil before the first and after the last.
  public private(set) var current: ItemID?
  /// What comes after the last item, or after each.
  public var repeatMode = RepeatMode.off
  /// The order in which they are played, when that is not their own.
  private var shuffled: [ItemID]?
  private var lastNumber: UInt64 = 0

  /// An empty queue.
  public init() {}

  /// Whether it has no item.
  public var isEmpty: Bool { items.isEmpty }

  /// Where an item stands, from 0.
  public func index(of id: ItemID) -> Int? { items.firstIndex { $0.id == id } }

  /// The item; nil when it is not there any more.
  public subscript(id: ItemID) -> PlayerItem? { items.first { $0.id == id } }

  /// Where the current item stands, from 0.
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

  /// What is played after an item that ended by itself; nil: nothing.
  public func successor(of id: ItemID) -> ItemID? {
    repeatMode == .one && self[id] != nil ? id : following(id)
  }

  /// The next item for somebody who asks for it, whatever is repeated alone; nil: there is none.
  public func following(_ id: ItemID?) -> ItemID? {
    let order = order
    guard let id, let index = order.firstIndex(of: id) else { return order.first }
    if index + 1 < order.count { return order[index + 1] }
    return repeatMode == .all ? order.first : nil
  }

  /// The item before; nil at the beginning.
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

  /// Takes an item out. The one that is played after it becomes current when it was.
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

  /// Notes what was found out about an item.
  public mutating func update(_ id: ItemID, _ change: (inout PlayerItem) -> Void) {
    guard let index = index(of: id) else { return }
    change(&items[index])
  }
}

// The order in which the items are played.
extension Queue {
  /// Whether they are played in an order that chance has made. It stays the same until shuffling begins anew.
  public var isShuffled: Bool { shuffled != nil }

  /// What is played first.
  public var first: ItemID? { order.first }

  /// Begins to shuffle, with the current item first, or ends it.
  public mutating func shuffle(_ flag: Bool) {
    guard flag else { return shuffled = nil }
    let rest = items.map(\.id).filter { $0 != current }.shuffled()
    shuffled = (current.map { [$0] } ?? []) + rest
  }

  private var order: [ItemID] { shuffled ?? items.map(\.id) }

  /// Somewhere in what is still to come.
  private mutating func insertShuffled(_ id: ItemID) {
    guard let order = shuffled else { return }
    let begin = current.flatMap { order.firstIndex(of: $0) }.map { $0 + 1 } ?? 0
    shuffled?.insert(id, at: Int.random(in: begin...order.count))
  }
}
