/// A change around a program that it is told when it is awake again (App States and Multitasking, Table 3-2).
public struct SurroundingChanges: WordSet, Hashable {
  /// The bits.
  public let rawValue: UInt16
  /// The changes with these bits.
  public init(rawValue: UInt16) { self.rawValue = rawValue }
  /// Addresses or routes of the network changed.
  public static let network = SurroundingChanges(rawValue: 1)
  /// Somebody set the clock.
  public static let time = SurroundingChanges(rawValue: 2)
  /// The machine's time zone changed.
  public static let zone = SurroundingChanges(rawValue: 4)
  /// The machine went from mains to battery or back, or the level of its battery changed.
  public static let power = SurroundingChanges(rawValue: 8)
  /// Sound goes to another device.
  public static let route = SurroundingChanges(rawValue: 16)
  /// An accessory came or went.
  public static let accessory = SurroundingChanges(rawValue: 32)
  /// The program's file of settings changed.
  public static let settings = SurroundingChanges(rawValue: 64)
  /// Memory is short.
  public static let memory = SurroundingChanges(rawValue: 128)
  /// The session was locked or unlocked.
  public static let lock = SurroundingChanges(rawValue: 256)

  /// Every change with its word.
  public static let all: [(member: SurroundingChanges, word: String)] = [
    (.network, "network"), (.time, "time"), (.zone, "zone"), (.power, "power"), (.route, "route"),
    (.accessory, "accessory"), (.settings, "settings"), (.memory, "memory"), (.lock, "lock"),
  ]
}

/// The source of the machine's power. Raw values are the protocol's words.
public enum PowerSource: String, CaseIterable, Sendable {
  /// The machine tells of no power supply.
  case unknown
  /// The mains, whether or not a battery is charged from them.
  case mains
  case battery
}

/// The machine's power.
public struct Power: Equatable, Sendable {
  /// Where it comes from.
  public var source: PowerSource
  /// The charge of the batteries in percent; nil without a battery that tells it.
  public var percent: Int?

  /// Power from `source`; a battery that is charged to `percent`.
  public init(_ source: PowerSource = .unknown, percent: Int? = nil) {
    (self.source, self.percent) = (source, percent)
  }
}

/// The news to a program of what changed around it, with what is so now.
public struct SurroundingNews: Equatable, Sendable {
  /// Everything that changed since the program was told last.
  public var changes: SurroundingChanges
  /// True while the session is locked.
  public var isLocked: Bool
  /// The machine's power.
  public var power: Power

  /// The news of `changes`.
  public init(_ changes: SurroundingChanges, isLocked: Bool = false, power: Power = Power()) {
    (self.changes, self.isLocked, self.power) = (changes, isLocked, power)
  }
}

/// The pressure on memory, as the daemon's triggers report it. Raw values are the protocol's words.
public enum MemoryPressure: String, CaseIterable, Sendable {
  /// Some process waits for memory too often.
  case warning
  /// All processes wait for memory at once, and nothing is done meanwhile.
  case critical
}

extension MemoryPressure: Comparable {
  /// A warning comes before what is critical.
  public static func < (a: Self, b: Self) -> Bool { a == .warning && b == .critical }
}
