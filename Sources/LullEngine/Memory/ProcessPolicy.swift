/// The numbers of the rules for a shell that has each program in processes of its own.
public struct ProcessPolicy: Equatable, Sendable {
  /// From the beginning of a sleep until the memory of the program is given back.
  public var compactAfter = Interval.seconds(10)
  /// The shortest time between two times at which memory of a program is given back.
  public var compactAgain = Interval.seconds(3600)
  /// From the beginning of a sleep to the look at the locks of files.
  public var lockCheck = Interval.seconds(1)
  /// The longest such wait; it doubles with each wake for a lock that the program kept. It is shorter than
  /// `compactAfter`: from then on nothing is done about a sleeper.
  public var lockCheckLast = Interval.seconds(8)

  /// A program that the kernel does not bound runs for so long between two looks at what it has used.
  public var boundSlice = Interval.milliseconds(10)
  /// Between two such looks while it keeps within its bound.
  public var boundLook = Interval.milliseconds(100)
  /// The longest time for which it is held still by its bound.
  public var boundHold = Interval.seconds(1)

  /// The defaults.
  public init() {}
}

/// The share of the processor and of the disks that a program gets.
public enum ProgramWeight: CaseIterable, Sendable {
  /// The share that the program has by itself.
  case full
  /// A smaller share, as long as others want theirs.
  case low
  /// That, and no more than its settings allow.
  case bounded
}

/// The outcome of giving memory back.
public enum CompactionResult: Equatable, Sendable {
  /// All of it that could go has gone. The numbers are the program's resident memory, in bytes.
  case done(before: UInt64, after: UInt64)
  /// A wake came first; what is left goes in the next sleep.
  case stopped
  /// Nothing was given back: there is no place for it, or the rights are missing.
  case refused
}

/// The last time that memory of a program was given back.
public struct CompactionView: Equatable, Sendable {
  /// The moment.
  public let moment: Moment
  /// The program's resident memory before and after it, in bytes.
  public let before: UInt64, after: UInt64
}
