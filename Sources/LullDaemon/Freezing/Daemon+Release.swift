import LullEngine
import LullSystem

// What was watched is let go. A few hundred descriptors go in the turn in which they are given up; what a
// program with thousands had goes on in the next ones, so that nobody's wake waits for it.
extension Daemon {
  /// A descriptor that is not needed any more.
  struct Discarded {
    let descriptor: DescriptorBox
    let isRegistered: Bool
  }

  /// How long that may hold up the loop in one turn, in nanoseconds.
  private static var releasingTime: Int64 { 1_000_000 }

  /// Removed first: a closed duplicate that is registered keeps its events coming.
  func letGo() {
    let start = Clock.boottime()
    while let one = discarded.popLast() {
      if one.isRegistered { try? epoll.remove(one.descriptor.raw) }
      one.descriptor.close()
      if discarded.count % 32 == 0, Clock.boottime() - start >= Self.releasingTime { return }
    }
  }

  /// What is watched as a whole is only disarmed.
  func release(_ program: Program) {
    if let look = program.look { discard(look) }
    program.look = nil
    unwatchForThaw(of: program)
    for pidfd in program.watched { discarded.append(Discarded(descriptor: pidfd, isRegistered: true)) }
    program.watched = []
    for line in program.lines {
      if let set = line.epollSet {
        disarm(set, line)
      } else if let duplicate = line.duplicate {
        discarded.append(Discarded(descriptor: duplicate, isRegistered: line.isWatched))
        line.duplicate = nil
        line.found?.oldNews = nil
        line.found?.newSender = nil
      }
    }
  }

  private func disarm(_ set: EpollSet, _ line: HeldLine) {
    guard set.isArmed else { return }
    set.isArmed = false
    try? epoll.modify(set.duplicate.raw, token: line.token.raw, interest: .oneShot)
  }

  /// What a look has taken and no line has kept.
  func discard(_ look: Look) {
    for entry in look.entries where entry.line?.duplicate !== entry.duplicate {
      discarded.append(Discarded(descriptor: entry.duplicate, isRegistered: false))
    }
  }

  /// Lines that were found end when the program speaks for itself, and those that it declared when it leaves.
  func dropLines(of program: Program) {
    for line in program.lines { close(line) }
    program.removeLines()
  }

  /// The line ends with what is open for it; it need not have been armed.
  func drop(_ line: HeldLine, from program: Program) {
    close(line)
    program.remove(line)
  }

  private func close(_ line: HeldLine) {
    if let set = line.epollSet {
      discarded.append(Discarded(descriptor: set.duplicate, isRegistered: set.isRegistered))
    }
    if let duplicate = line.duplicate {
      discarded.append(Discarded(descriptor: duplicate, isRegistered: true))
      line.duplicate = nil
    }
    lineSlots.remove(line.slot)
  }
}
