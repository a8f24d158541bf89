/// The memory that a program holds, in bytes.
public struct MemorySize: Equatable, Sendable {
  /// The program.
  public let id: AppID
  /// The proportional share of its processes, in memory and in the swap.
  public let bytes: Int64

  /// A size of a program.
  public init(_ id: AppID, bytes: Int64) { (self.id, self.bytes) = (id, max(0, bytes)) }
}
