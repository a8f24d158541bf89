import LullChannel
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
