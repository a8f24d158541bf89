import LullEngine
import LullInspect
import LullSystem

extension ObservationBuilder {
  /// A source that a thread waits for or may look at.
  final class Entry {
    let process: Process
    let number: Int32
    let duplicate: DescriptorBox
    let status: FileStatus
    var file: OpenFile.Kind?
    var description: LineDescription
    var role: WakeSource.Role
    var reach: WakeSource.Reach
    var interest: Interest
    var line: LineID?
    /// True when the entry's line has taken the duplicate.
    var isAttached = false
    var set: WaitedSet?
    var readiness: Readiness = []

    init(
      _ process: Process, number: Int32, duplicate: DescriptorBox, status: FileStatus,
      file: OpenFile.Kind?, description: LineDescription, role: WakeSource.Role,
      reach: WakeSource.Reach, interest: Interest
    ) {
      (self.process, self.number, self.duplicate, self.status) = (process, number, duplicate, status)
      (self.file, self.description, self.role) = (file, description, role)
      (self.reach, self.interest) = (reach, interest)
    }

    var key: FileKey { FileKey(status, number: number, of: process.pid) }
  }

  final class WaitedSet {
    let process: Process
    let number: Int32
    let duplicate: DescriptorBox
    let key: FileKey
    let identity: FileIdentity
    var facts: SetFacts
    var line: LineID?
    var isReady = false

    init(
      _ process: Process, number: Int32, duplicate: DescriptorBox, key: FileKey,
      identity: FileIdentity, facts: SetFacts, line: LineID?
    ) {
      (self.process, self.number, self.duplicate) = (process, number, duplicate)
      (self.key, self.identity, self.facts, self.line) = (key, identity, facts, line)
    }

    func isNumber(_ number: Int32, of pid: Int32) -> Bool { self.number == number && process.pid == pid }
  }
}

extension ObservationBuilder.Entry {
  /// Joins the wait of another thread for the same file.
  func join(_ interest: Interest, _ role: WakeSource.Role) {
    switch (self.role, role) {
    // The events for which a set watches the file say nothing of this thread's wait.
    case (.member, .waited): (self.role, self.interest) = (.waited, interest)
    // A set whose member has the role `.open` is not watched as a whole.
    case (.member, .open): (self.role, self.interest) = (.open, self.interest.union(interest))
    case (.member, _): break
    default:
      self.interest.formUnion(interest)
      if role == .waited { self.role = .waited }
    }
  }
}

extension ObservationBuilder.Entry {
  /// True when the set that is replaced by its members is not ready: what is ready among them was told. A set
  /// with a signalfd cannot be asked, and a thread that naps may look at anything, but for an eventfd: what
  /// the program itself has written there is no news.
  var isTold: Bool {
    guard role == .open, file == .event || !process.naps else { return false }
    guard let set else { return file == .event }
    return set.facts.fallsBack && !set.facts.holdsSignals && !set.isReady
  }

  /// True when the entry is to be watched. The program's own timer must not wake it at once, and a doorbell
  /// waits for the wake. An eventfd is watched like the rest: somebody outside may have it too, or the kernel
  /// writes it for an io_uring or for libaio.
  var isWatched: Bool {
    switch reach {
    case .outside, .standard: true
    case .inside: file != .timer && (role == .waited || role == .open)
    case .doorbell: false
    }
  }
}
