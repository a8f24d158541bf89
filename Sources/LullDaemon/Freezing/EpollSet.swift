import LullChannel
import LullEngine
import LullInspect
import LullSystem

/// An epoll set of a command. Its kept duplicate becomes readable exactly when an epoll_wait of the command
/// would return, whatever events the command asked for.
final class EpollSet {
  private enum Watch {
    case none
    case disarmed(Slot)
    case armed(Slot)
  }

  let number: Int32
  let pid: Int32
  let duplicate: DescriptorBox
  var facts: SetFacts
  private var watch = Watch.none

  init(number: Int32, pid: Int32, duplicate: DescriptorBox, facts: SetFacts = SetFacts()) {
    (self.number, self.pid, self.duplicate, self.facts) = (number, pid, duplicate, facts)
  }

  var isArmed: Bool { if case .armed = watch { true } else { false } }
  var registration: Slot? {
    switch watch {
    case .none: nil
    case .disarmed(let registration), .armed(let registration): registration
    }
  }
  var count: Int { facts.count(in: pid) }

  /// The numbers of the set's descriptors that have no line of their own, in the process that holds the set.
  func members(besides lines: [HeldLine]) -> [Int32] {
    let keys = Set(lines.compactMap { $0.found?.key })
    let inodes = Set(
      keys.compactMap { (key) -> UInt64? in
        if case .file(let identity) = key { identity.inode } else { nil }
      })
    let members = (try? Process.epollMembers(of: pid, number: number)) ?? []
    return members.filter { !inodes.contains($0.inode) && !keys.contains(.number($0.number, of: pid)) }
      .map(\.number)
  }

  func arm(in reactor: DaemonReactor, _ line: Slot) throws(SystemError) {
    let interest: Interest = [.readable, .oneShot]
    if let registration {
      try reactor.modify(registration, interest)
      watch = .armed(registration)
    } else {
      watch = .armed(try reactor.add(duplicate.raw, interest, as: .line(line)))
    }
  }

  func fired() { if case .armed(let registration) = watch { watch = .disarmed(registration) } }

  func disarm(in reactor: DaemonReactor) {
    guard case .armed(let registration) = watch else { return }
    watch = .disarmed(registration)
    try? reactor.modify(registration, .oneShot)
  }
}

struct SetFacts {
  /// The number of descriptors in the set, and in its process, when the set was read last.
  private var counted = 0, open: Int?
  var isLarge = false
  /// True when its members are watched in its place. A timer, a signalfd or a connection to the daemon would
  /// make the set ready for the wrong reason, or only some ports among the members are to wake the program.
  var fallsBack = false
  /// A signalfd shows the signals of the process that polls: polling a set with one would take the news from
  /// the program.
  var holdsSignals = false
  /// A thread that was cut off may have a report in its hands that is given once (edge-triggered, one-shot).
  var tellsOnce = false
  /// `.outside` when something outside the program can make it ready.
  var reach = WakeSource.Reach.inside
  var observations = 0

  /// The greatest set whose members are observed one by one, so that a wake names the connection.
  static let fewMembers = 64
  /// The greatest set that is read in less than a millisecond.
  private static let cheapMembers = 1024
  static let observationsBetweenReadings = 256

  /// For a large set, descriptors that its process has opened or closed since the last reading count as
  /// members: reading a large set takes milliseconds.
  func count(in pid: Int32) -> Int {
    guard isLarge, let open, let now = Process.openFileCount(of: pid) else { return counted }
    return max(0, counted + now - open)
  }

  /// The set has become small, or it is cheap to read and has changed.
  func hasChanged(in pid: Int32) -> Bool {
    let now = count(in: pid)
    return now <= Self.fewMembers || (now <= Self.cheapMembers && now != counted)
  }

  mutating func read(_ members: Int, in pid: Int32) {
    (counted, open) = (members, Process.openFileCount(of: pid))
  }
}
