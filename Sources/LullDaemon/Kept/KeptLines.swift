import LullChannel
import LullEngine
import LullInspect
import LullSystem
import LullWire

/// The lines that outlive their programs. lull-guard has a duplicate of each too, and is told what becomes of
/// it. Moments are nanoseconds of CLOCK_BOOTTIME.
final class KeptLines {
  enum News {
    case keep(Message, DescriptorBox)
    case drop(Message)
  }

  let reactor: DaemonReactor
  let journal: Journal
  let closer: Closer
  let policy: Policy
  var declared = DeclaredLines()
  private(set) var entries: [KeptEntry] = []
  var takings: [Taking] = []
  var untaken: UntakenLines
  let tell: (Event) -> Void
  var lastNumber: UInt32 = 0
  private var news: [News] = []

  init(_ services: SharedServices, _ policy: Policy, tell: @escaping (Event) -> Void) {
    (reactor, journal, closer) = (services.reactor, services.journal, services.closer)
    (self.policy, self.tell) = (policy, tell)
    untaken = UntakenLines(capacity: policy.maximumPrograms)
  }

  func takeNews() -> [News] {
    defer { news = [] }
    return news
  }

  func all() -> [News] { entries.map(keeping) }

  private func keeping(_ entry: KeptEntry) -> News {
    .keep(entry.record.adding(to: Message(.keepLine)), entry.descriptor)
  }

  func changed(_ entry: KeptEntry) { news.append(keeping(entry)) }

  func insert(_ entry: KeptEntry) { entries.append(entry) }

  // MARK: Coming and going

  /// Returns false when there is no room for it.
  func add(_ copy: LineCopy, of program: Program) -> Bool {
    let own = entries.count { $0.record.program == program.name }
    guard own < Limits.maximumKeptLines, entries.count < policy.maximumKeptLines else {
      let most =
        own < Limits.maximumKeptLines
        ? "\(policy.maximumKeptLines) are kept for all programs"
        : "\(Limits.maximumKeptLines) are kept for one program"
      note("kept-lines-full", of: program.name, "\(copy.description.text) is not kept: \(most)")
      return false
    }
    insert(copy, of: program)
    return true
  }

  /// Holds a duplicate for which there is room.
  func insert(_ copy: LineCopy, of program: Program) {
    lastNumber += 1
    let id = LineID(lastNumber), since = Interval(nanoseconds: Clock.realtime())
    var record =
      copy.line.flatMap { declared[$0, of: program.id] }?.record(id, of: program.name, since: since)
      ?? KeptLine(id: id, program: program.name, since: since)
    record.ending = program.endingWithLines
    let entry = KeptEntry(record, copy, as: .standby(program.id, copy.line))
    insert(entry)
    changed(entry)
  }

  /// Returns false when nothing is kept for the name.
  @discardableResult func drop(_ name: String) -> Bool {
    let own = entries.filter { $0.record.program == name }
    drop(own, of: name)
    return !own.isEmpty
  }

  func drop(_ own: [KeptEntry], of name: String) {
    for entry in own { remove(entry) }
    tell(.linesTaken(name))
  }

  /// Its descriptor is closed once nobody sends it any more.
  func remove(_ entry: KeptEntry) {
    unwatch(entry)
    entries.removeAll { $0 === entry }
    news.append(.drop(Message(.dropLine).adding(.line, entry.record.id.number)))
  }

  /// The last line of a name that was taken or let go ends its launches. What a program that goes on has held
  /// beside its own lines is no reason for one.
  func settle(_ name: String) {
    if !entries.contains(where: { $0.record.program == name && $0.awaitsProgram }) { tell(.linesTaken(name)) }
  }

  // MARK: Watching

  func wait(_ entry: KeptEntry) {
    entry.standing = .waiting
    if !entry.record.isWaiting {
      entry.record.isWaiting = true
      entry.record.since = Interval(nanoseconds: Clock.realtime())
      changed(entry)
    }
    guard entry.registration == nil else { return }
    entry.registration = journal.ignoring(
      [],
      try reactor.add(
        entry.descriptor.raw, [.readable, .readHangUp, .oneShot], as: .kept(entry.record.id)))
  }

  func unwatch(_ entry: KeptEntry) {
    if let registration = entry.registration { reactor.remove(registration) }
    entry.registration = nil
  }

  func note(_ what: String, of name: String, _ detail: String) {
    journal.note(program: name, what: what, detail: detail)
  }
}
