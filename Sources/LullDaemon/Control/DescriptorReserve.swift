import LullSystem

/// Descriptors that are kept for the operator: when a program has all others, `lull status` and `lull quit`
/// still work.
struct DescriptorReserve {
  /// The descriptors for one operator: a connection, its process, and two for its requests.
  static let loan = 4
  /// The number of connections with lent descriptors at once.
  static let loans = 4

  private var kept: [DescriptorBox] = []

  mutating func fill() {
    // One more: a connection can be taken and refused even when all others are lent.
    while kept.count < Self.loan * Self.loans + 1, let more = try? Files.openNull() {
      kept.append(DescriptorBox(more))
    }
  }

  /// Returns false when the limit of loans is reached.
  mutating func lend() -> Bool {
    guard kept.count > Self.loan else { return false }
    for box in kept.suffix(Self.loan) { box.close() }
    kept.removeLast(Self.loan)
    return true
  }

  /// Makes room for a connection that is refused.
  mutating func lendOne() -> Bool {
    guard let last = kept.popLast() else { return false }
    last.close()
    return true
  }
}
