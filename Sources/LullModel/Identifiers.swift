/// A program that the engine manages. A slot is used again after a program has ended; the generation tells a
/// late event for the old program from an event for the new one.
public struct AppID: Hashable, Sendable {
  /// The place in the engine's table; dense, so that a shell can keep an array beside the table.
  public let slot: UInt32
  /// The number of times that the slot was given out before.
  public let generation: UInt32

  /// The program in `slot`, given out for the `generation`th time.
  public init(slot: UInt32, generation: UInt32) {
    self.slot = slot
    self.generation = generation
  }
}

/// A held connection, unique while the engine lives.
public struct LineID: NumberedID, Comparable {
  /// The number shown to users.
  public let number: UInt32
  /// The line with that number.
  public init(_ number: UInt32) { self.number = number }
  /// Lines in the order in which they were held.
  public static func < (lhs: LineID, rhs: LineID) -> Bool { lhs.number < rhs.number }
}

/// A finite-length task, unique while the engine lives.
public struct TaskID: NumberedID {
  /// The number shown to users.
  public let number: UInt32
  /// The task with that number.
  public init(_ number: UInt32) { self.number = number }
}

/// A local notification, unique while the engine lives.
public struct NotificationID: NumberedID {
  /// The number shown to users.
  public let number: UInt32
  /// The notification with that number.
  public init(_ number: UInt32) { self.number = number }
}

/// An audio session, unique while the engine lives.
public struct SessionID: NumberedID {
  /// The number shown to users.
  public let number: UInt32
  /// The session with that number.
  public init(_ number: UInt32) { self.number = number }
}

/// The mark of an effect whose answer comes later. Tickets only grow; an answer with an old ticket is stale.
public struct Ticket: Hashable, Comparable, Sendable {
  /// The ticket's number.
  public let number: UInt64
  /// The ticket with that number.
  public init(_ number: UInt64) { self.number = number }
  /// True when `lhs` was issued before `rhs`.
  public static func < (lhs: Ticket, rhs: Ticket) -> Bool { lhs.number < rhs.number }
}

package protocol NumberedID: Hashable, Sendable {
  var number: UInt32 { get }
  init(_ number: UInt32)
}
