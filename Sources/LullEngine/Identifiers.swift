/// A program that the engine manages. A slot is used again after a program has ended; the
/// generation tells a late event for the old program from one for the new.
public struct AppID: Hashable, Sendable {
  /// The place in the engine's table; dense, so that a shell can keep an array beside it.
  public let slot: UInt32
  /// How often the slot was given out before.
  public let generation: UInt32

  /// The program in `slot`, given out for the `generation`th time.
  public init(slot: UInt32, generation: UInt32) {
    self.slot = slot
    self.generation = generation
  }
}

/// A held connection, unique while the engine lives.
public struct LineID: Hashable, Comparable, Sendable {
  /// The number shown to users.
  public let number: UInt32
  /// The line with that number.
  public init(_ number: UInt32) { self.number = number }
  /// Lines in the order in which they were held.
  public static func < (lhs: LineID, rhs: LineID) -> Bool { lhs.number < rhs.number }
}

/// A finite-length task, unique while the engine lives.
public struct TaskID: Hashable, Sendable {
  /// The number shown to users.
  public let number: UInt32
  /// The task with that number.
  public init(_ number: UInt32) { self.number = number }
}

/// A local notification, unique while the engine lives.
public struct NotificationID: Hashable, Sendable {
  /// The number shown to users.
  public let number: UInt32
  /// The notification with that number.
  public init(_ number: UInt32) { self.number = number }
}

/// A session of sound, unique while the engine lives.
public struct SessionID: Hashable, Sendable {
  /// The number shown to users.
  public let number: UInt32
  /// The session with that number.
  public init(_ number: UInt32) { self.number = number }
}

/// Marks an effect whose answer comes later. Tickets only grow; an answer with an old one is stale.
public struct Ticket: Hashable, Comparable, Sendable {
  /// The ticket's number.
  public let number: UInt64
  /// The ticket with that number.
  public init(_ number: UInt64) { self.number = number }
  /// True when `lhs` was issued before `rhs`.
  public static func < (lhs: Ticket, rhs: Ticket) -> Bool { lhs.number < rhs.number }
}

/// The shell's own name for a request that waits for an answer; the engine only hands it back.
public struct RequestID: Hashable, Sendable {
  /// A number that means something to the shell alone.
  public let number: UInt64
  /// The request with that number.
  public init(_ number: UInt64) { self.number = number }
}

/// Gives numbers out, in order. After the last one it begins anew and leaves out those that are in use.
struct Numbers: Sendable {
  private var last: UInt32
  /// Those after `last`, up to and with this one, are free.
  private var freeThrough = UInt32.max

  init(after last: UInt32 = 0) { self.last = last }

  /// nil when it has to know first which are in use.
  mutating func next() -> UInt32? {
    guard last < freeThrough else { return nil }
    last += 1
    return last
  }

  /// The next one that is not in use.
  mutating func next(besides used: [UInt32]) -> UInt32 {
    let used = used.sorted()
    last = Self.firstFree(from: last == .max ? 1 : last + 1, used) ?? Self.firstFree(from: 1, used) ?? 1
    freeThrough = used.first { $0 > last }.map { $0 - 1 } ?? .max
    return last
  }

  private static func firstFree(from first: UInt32, _ used: [UInt32]) -> UInt32? {
    var candidate = first
    for number in used where number == candidate {
      guard candidate < .max else { return nil }
      candidate += 1
    }
    return candidate
  }
}
