import Fuzzing
import TestSupport
import Testing

@testable import LullWire

/// The one description of each item: its effect on the wire, and in docs/PROTOCOL.md.
@Suite(.bounded) struct ItemDescriptionTests {
  private static let items: [any DescribedItem.Type] = [
    DaemonItem.self, ProgramItem.self, LeaseItem.self, LineItem.self, KeepAliveItem.self, TimerItem.self,
    WakeItem.self, SleepItem.self, PurgeItem.self, TallyItem.self, NoteItem.self, EntryItem.self,
    NotificationItem.self,
    DaemonCheckItem.self, SessionItem.self, DeviceItem.self, EndedItem.self, InstalledItem.self,
  ]

  @Test func `every kind of item has a description`() {
    #expect(Self.items.map { $0.itemKind.rawValue }.sorted() == ItemKind.allCases.map(\.rawValue).sorted())
  }

  @Test(arguments: items.indices)
  func `what is written of an item is read back`(index: Int) throws {
    try checkReading(Self.items[index])
  }

  private func checkReading<Item: DescribedItem>(_ type: Item.Type) throws {
    var random = RandomFields(generator: SplitMix64(seed: SplitMix64.seed(for: "items \(Item.itemKind)")))
    var count = 0
    for _ in 0..<500 {
      guard let item = try? Item.blank.visited(by: &random) else { continue }
      count += 1
      let message = try Message.parse(item.message.encoded()[...])
      #expect(message.itemKind == Item.itemKind)
      try #require(try Item(message) == item)
    }
    #expect(count >= 100)
  }

  @Test(arguments: items.indices)
  func `the page has the fields of the description`(index: Int) throws {
    let kind = Self.items[index].itemKind
    let fields = try Page.protocol.item(kind)
    let known = Self.items[index].fields
    #expect(
      Set(fields.map { "\($0.key) \($0.isNeeded)" })
        == Set(known.map { "\($0.key.rawValue) \($0.isNeeded)" }), "\(kind)")
    #expect(known.count < Limits.maximumFields)
  }
}
