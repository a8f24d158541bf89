import LullEngine

/// The values that an owner keeps for programs, in the order of their slots; the id of a program that has
/// gone finds nothing.
struct AppTable<Value> {
  private var slots: [(id: AppID, value: Value)?] = []

  subscript(id: AppID) -> Value? {
    get {
      let slot = Int(id.slot)
      guard slot < slots.count, let entry = slots[slot], entry.id == id else { return nil }
      return entry.value
    }
    set {
      let slot = Int(id.slot)
      guard let newValue else {
        if slot < slots.count, slots[slot]?.id == id { slots[slot] = nil }
        return
      }
      while slots.count <= slot { slots.append(nil) }
      slots[slot] = (id, newValue)
    }
  }

  @discardableResult mutating func update<Result>(_ id: AppID, _ body: (inout Value) -> Result) -> Result? {
    let slot = Int(id.slot)
    guard slot < slots.count, var entry = slots[slot], entry.id == id else { return nil }
    // The only reference is changed in its place, without a copy.
    slots[slot] = nil
    defer { slots[slot] = entry }
    return body(&entry.value)
  }

  /// As `update`, but a program without a value gets this one first.
  mutating func update(_ id: AppID, else value: @autoclosure () -> Value, _ body: (inout Value) -> Void) {
    if self[id] == nil { self[id] = value() }
    update(id, body)
  }

  func first(fromSlot slot: Int) -> Value? { slots.dropFirst(slot).lazy.compactMap { $0?.value }.first }

  var ids: [AppID] { slots.compactMap { $0?.id } }
  var values: some Sequence<Value> { slots.lazy.compactMap { $0?.value } }
}
