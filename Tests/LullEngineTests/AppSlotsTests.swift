import TestSupport
import Testing

@testable import LullEngine

@Suite(.bounded) struct AppSlotsTests {
  private func insert(_ table: inout AppSlots, _ name: String) -> AppID {
    table.insert {
      App(id: $0, registration: Registration(name: name), now: Moment(nanoseconds: 0), policy: Policy())
    }
  }

  @Test func `a slot is given out again with the next generation`() {
    var table = AppSlots()
    let first = insert(&table, "first")
    table.remove(first)
    let second = insert(&table, "second")
    #expect(second.slot == first.slot)
    #expect(second.generation == first.generation + 1)
    #expect(table[first] == nil)
    #expect(table[second]?.registration.name == "second")
    #expect(table.capacity == 1)
  }

  @Test func `an old id removes and changes nothing`() {
    var table = AppSlots()
    let old = insert(&table, "old")
    table.remove(old)
    let new = insert(&table, "new")
    table.remove(old)
    #expect(table.count == 1)
    #expect(table.update(old) { $0.state = .active } == nil)
    #expect(table[new]?.state == .notRunning)
    #expect(table.update(new) { $0.state = .active } != nil)
    #expect(table[new]?.state == .active)
  }

  @Test func `ids stand in the order of their slots`() {
    var table = AppSlots()
    let ids = ["a", "b", "c"].map { insert(&table, $0) }
    table.remove(ids[1])
    #expect(table.ids == [ids[0], ids[2]])
    let again = insert(&table, "d")
    #expect(table.ids == [ids[0], again, ids[2]])
    #expect(table.first { $0.registration.name == "c" } == ids[2])
    #expect(table.first { $0.registration.name == "b" } == nil)
  }

  @Test func `a slot that was never given out holds nothing`() {
    var table = AppSlots()
    #expect(!table.contains(AppID(slot: 5, generation: 0)))
    table.remove(AppID(slot: 5, generation: 0))
    #expect(table.count == 0)
  }

  @Test func `a removed program is not removed twice`() {
    var table = AppSlots()
    let id = insert(&table, "a")
    table.remove(id)
    table.remove(id)
    #expect(table.count == 0)
    _ = insert(&table, "b")
    _ = insert(&table, "c")
    #expect(table.count == 2)
    #expect(table.ids.map(\.slot) == [0, 1])
  }
}
