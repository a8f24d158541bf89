/// Programs by slot. A slot that is given out again has a new generation, so a late event for the old program
/// finds nothing.
struct AppSlots: Sendable {
  private struct Slot: Sendable {
    var generation: UInt32 = 0
    var app: App?
  }

  private var slots: [Slot] = []
  private var free: [UInt32] = []
  private(set) var count = 0

  /// The slot of each id is below it.
  var capacity: Int { slots.count }

  mutating func insert(_ make: (AppID) -> App) -> AppID {
    if free.isEmpty {
      slots.append(Slot())
      free.append(UInt32(slots.count - 1))
    }
    let slot = free.removeLast()
    let id = AppID(slot: slot, generation: slots[Int(slot)].generation)
    slots[Int(slot)].app = make(id)
    count += 1
    return id
  }

  mutating func remove(_ id: AppID) {
    guard contains(id) else { return }
    slots[Int(id.slot)].app = nil
    slots[Int(id.slot)].generation &+= 1
    free.append(id.slot)
    count -= 1
  }

  func contains(_ id: AppID) -> Bool {
    Int(id.slot) < slots.count && slots[Int(id.slot)].generation == id.generation
      && slots[Int(id.slot)].app != nil
  }

  subscript(id: AppID) -> App? { contains(id) ? slots[Int(id.slot)].app : nil }

  mutating func update<Result>(_ id: AppID, _ body: (inout App) -> Result) -> Result? {
    guard contains(id) else { return nil }
    return updateSlot(Int(id.slot), body)
  }

  mutating func updateSlot<Result>(_ slot: Int, _ body: (inout App) -> Result) -> Result? {
    slots[slot].app?.apply(body)
  }

  var ids: [AppID] {
    slots.indices.compactMap { index in
      slots[index].app.map { _ in AppID(slot: UInt32(index), generation: slots[index].generation) }
    }
  }

  func forEach(_ body: (App) -> Void) {
    for slot in slots {
      if let app = slot.app { body(app) }
    }
  }

  func numbers(_ of: (App) -> [UInt32]) -> [UInt32] {
    slots.flatMap { $0.app.map(of) ?? [] }
  }

  func first(where matches: (App) -> Bool) -> AppID? {
    for slot in slots {
      if let app = slot.app, matches(app) { return app.id }
    }
    return nil
  }
}

extension App {
  /// Optional chaining reaches a method in place; a copy would cost a retain for every array in the program.
  fileprivate mutating func apply<Result>(_ body: (inout App) -> Result) -> Result { body(&self) }
}
