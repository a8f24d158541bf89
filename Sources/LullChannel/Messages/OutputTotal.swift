/// The bytes that wait in several channels together: many peers that take nothing cost no more than few.
package final class OutputTotal {
  /// The bytes of an answer that are made at once, and the same while much waits.
  private static let slice = 1 << 14, smallSlice = 1 << 10

  /// Above it some peers are to be dropped: see `MessageChannel.overrun`.
  package let maximum: Int
  private let plenty: Int
  package private(set) var bytes = 0

  /// From `plenty` bytes on, answers are made in small slices.
  package init(plenty: Int = 4 << 20, maximum: Int = 24 << 20) {
    (self.plenty, self.maximum) = (plenty, maximum)
  }

  package var isScarce: Bool { bytes >= plenty }
  package var slice: Int { isScarce ? Self.smallSlice : Self.slice }

  func add(_ count: Int) { bytes += count }
}
