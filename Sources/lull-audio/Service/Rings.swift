import LullSystem

/// The ring of each session: by its ring a session is known again when the next lulld opens it under another
/// number.
struct Rings {
  /// Sessions that no lulld knows have numbers from here on, above all that a lulld gives out.
  private static let unclaimed: UInt64 = 1 << 32

  private var rings: [(id: UInt64, file: FileIdentity)] = []

  mutating func begin(_ id: UInt64, _ file: FileIdentity) { rings.append((id, file)) }

  mutating func end(_ id: UInt64) { rings.removeAll { $0.id == id } }

  /// The sessions of the lulld before that no program has claimed.
  var unclaimed: [UInt64] { rings.map(\.id).filter { $0 >= Self.unclaimed } }

  /// The session of the lulld before with this ring.
  func unclaimed(_ file: FileIdentity) -> UInt64? {
    rings.first { $0.id >= Self.unclaimed && $0.file == file }?.id
  }

  /// Gives every session a number that no lulld gives out; returns the numbers of before and now.
  mutating func disown() -> [(old: UInt64, new: UInt64)] {
    let old = rings.map(\.id)
    for index in rings.indices { rings[index].id = Self.unclaimed + UInt64(index) }
    return Array(zip(old, rings.map(\.id)))
  }
}
