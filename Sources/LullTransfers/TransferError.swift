/// The reason why nothing is fetched.
public struct TransferError: Error, Equatable, CustomStringConvertible {
  /// The reason in one line for people, with what to do.
  public let description: String

  package init(_ description: String) { self.description = description }

  /// The command after which something fetches.
  package static let installing = "lull install transfers --mode voip --timers 15 -- lull-transfers"
}
