/// The files to play, in order, and what follows what. It knows nothing of sound.
struct Queue: Equatable {
  private(set) var items: [PlayerItem] = []
  /// What was heard last, or is to be heard next; nil before the first and after the last.
  private(set) var current: ItemID?
  var repeatMode = RepeatMode.off
  private var lastNumber: UInt64 = 0

  init() {}

  var isEmpty: Bool { items.isEmpty }

  /// Where an item stands, from 0.
  func index(of id: ItemID) -> Int? { items.firstIndex { $0.id == id } }

  subscript(id: ItemID) -> PlayerItem? { items.first { $0.id == id } }

  var currentIndex: Int? { current.flatMap(index) }
  var currentItem: PlayerItem? { current.flatMap { self[$0] } }

  @discardableResult
  mutating func append(path: String, description: MediaDescription?) -> PlayerItem {
    lastNumber += 1
    let status: PlayerItem.Status = description == nil ? .unknown : .readyToPlay
    let item = PlayerItem(
      id: ItemID(number: lastNumber), path: path, description: description, status: status)
    items.append(item)
    return item
  }

  /// What is played after an item that ended by itself; nil: nothing.
  func successor(of id: ItemID) -> ItemID? {
    repeatMode == .one && self[id] != nil ? id : following(id)
  }

  /// The next item for somebody who asks for it, whatever is repeated alone; nil: there is none.
  func following(_ id: ItemID?) -> ItemID? {
    guard let id, let index = index(of: id) else { return items.first?.id }
    if index + 1 < items.count { return items[index + 1].id }
    return repeatMode == .all ? items.first?.id : nil
  }

  /// The item before; nil at the beginning.
  func preceding(_ id: ItemID?) -> ItemID? {
    guard let id, let index = index(of: id) else { return items.last?.id }
    if index > 0 { return items[index - 1].id }
    return repeatMode == .all ? items.last?.id : nil
  }

  /// Makes an item the current one; nil: none.
  mutating func select(_ id: ItemID?) {
    current = id.flatMap { index(of: $0) == nil ? nil : $0 }
  }

  /// Takes an item out. The one after it becomes current when it was.
  @discardableResult
  mutating func remove(_ id: ItemID) -> PlayerItem? {
    guard let index = index(of: id) else { return nil }
    let item = items.remove(at: index)
    if current == id { current = index < items.count ? items[index].id : nil }
    return item
  }

  mutating func clear() {
    items = []
    current = nil
  }

  /// Notes what was found out about an item.
  mutating func update(_ id: ItemID, _ change: (inout PlayerItem) -> Void) {
    guard let index = index(of: id) else { return }
    change(&items[index])
  }
}
