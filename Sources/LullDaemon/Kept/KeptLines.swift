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

  private let reactor: DaemonReactor
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

  func add(_ copy: LineCopy, of program: Program) -> Bool {
    let own = entries.count { $0.record.program == program.name }
    guard own < Limits.maximumKeptLines, entries.count < policy.maximumKeptLines else {
      let text = copy.description.text
      let why: Explanation =
        own < Limits.maximumKeptLines
        ? .init(.keptFull, limit: Double(policy.maximumKeptLines), text: text)
        : .init(.keptFullOfOne, limit: Double(Limits.maximumKeptLines), text: text)
      note("kept-lines-full", of: program.name, why.line)
      return false
    }
    insert(copy, of: program)
    return true
  }

  private func insert(_ copy: LineCopy, of program: Program) {
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

  /// The launches of a program end when its last line is taken or let go. What a program that goes on has
  /// beside its own lines is no reason for a launch.
  func settle(_ name: String) {
    if !entries.contains(where: { $0.record.program == name && $0.awaitsProgram }) { tell(.linesTaken(name)) }
  }

  // MARK: Watching

  func wait(_ entry: KeptEntry) {
    entry.state = .waiting
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
    if let registration = entry.registration.take() { reactor.remove(registration) }
  }

  func note(_ what: String, of name: String, _ detail: String) {
    journal.note(program: name, what: what, detail: detail)
  }

  // MARK: Programs that run

  /// A line that the program got back is its own again. With `keeps` a duplicate is held while the program
  /// runs.
  func hold(_ hold: Request.Hold, as line: LineID, of program: Program, _ copy: LineCopy, keeps: Bool) {
    declared.add(.init(hold, as: line), of: program.id)
    for entry in entries where entry.record.program == program.name && entry.identity == copy.identity {
      remove(entry)
    }
    settle(program.name)
    guard keeps, !hold.isEncrypted else { return }
    _ = add(copy, of: program)
  }

  func setState(_ state: [UInt8], of line: LineID, of id: AppID) -> Reply {
    guard let declaration = declared[line, of: id] else { return Reply(.noSuchLine(line)) }
    guard !declaration.isEncrypted else {
      return .error(.unsupported, .init(.encryptedLine))
    }
    declared.setState(state, of: line, of: id)
    for entry in entries where entry.isOwn(line, of: id) {
      entry.record.state = state
      changed(entry)
    }
    return .ok
  }

  func release(_ line: LineID, of id: AppID) {
    declared.remove(line, of: id)
    for entry in entries { if case .standby(id, line) = entry.state { remove(entry) } }
  }

  /// Lines that the program has closed without a word end.
  func prune(_ id: AppID, has isThere: (LineID) -> Bool) {
    for entry in entries {
      if case .standby(id, let line?) = entry.state, !isThere(line) { release(line, of: id) }
    }
  }

  func silence(_ id: AppID) {
    declared.forget(id)
    for entry in entries { if case .standby(id, _) = entry.state { remove(entry) } }
  }

  /// A command whose lines are kept after a crash may die in the same moment as this daemon: from its sleep
  /// to its wake lull-guard has a duplicate of what it waits for. The other half of the room is for programs
  /// that have ended.
  func sleeps(_ program: Program, with copies: [LineCopy]) {
    for copy in copies.prefix(Limits.maximumKeptLines) {
      let held = entries.first { $0.record.program == program.name && $0.identity == copy.identity }
      if let held {
        (held.sleeper, held.isUnproven) = (program.id, false)
      } else if entries.count < policy.maximumKeptLines / 2 {
        insert(copy, of: program)
      }
    }
  }

  /// No duplicates are held of a command that runs again, or is about to end, because it slept.
  func woke(_ id: AppID) {
    for entry in entries {
      if case .standby(id, nil) = entry.state { remove(entry) }
      if entry.sleeper == id { entry.sleeper = nil }
    }
  }

  /// Lines that are held already stay. From then on a program that closes its own loses none of them, also
  /// under the next daemon.
  func keep(_ copies: [LineCopy], of program: Program) {
    hold(copies, of: program)
    for entry in entries {
      guard case .standby(program.id, let line) = entry.state else { continue }
      entry.state = .parting(program.id, line)
      guard entry.record.ending != program.endingWithLines else { continue }
      entry.record.ending = program.endingWithLines
      changed(entry)
    }
  }

  private func hold(_ copies: [LineCopy], of program: Program) {
    for copy in copies {
      if let line = copy.line, declared[line, of: program.id]?.isEncrypted == true { continue }
      let isHeld = entries.contains {
        $0.record.program == program.name && $0.identity == copy.identity
      }
      guard isHeld || add(copy, of: program) else { return }
    }
  }

  // MARK: Status

  func hasLines(of name: String) -> Bool { entries.contains { $0.record.program == name } }

  func items(of name: String?) -> [Message] {
    waiting(for: name).map(item)
  }

  private func waiting(for name: String?) -> [KeptEntry] {
    entries.filter { $0.isOffered && $0.record.isWaiting && (name == nil || $0.record.program == name) }
  }

  func healthNote(on name: String) -> NoteItem? {
    let waiting = waiting(for: name)
    return waiting.isEmpty ? nil : NoteItem(.linesKept, detail: Self.named(waiting))
  }

  static func named(_ lines: [KeptEntry]) -> String {
    let most = 4
    let rest = lines.count > most ? " and \(lines.count - most) more" : ""
    return lines.prefix(most).map(\.text).joined(separator: ", ") + rest
  }

  private func item(_ entry: KeptEntry) -> Message {
    let (record, description, rules) = (entry.record, entry.description, entry.record.offload.words)
    let unread = journal.ignoring(.unsupported, try Socket.unreadBytes(entry.descriptor.raw))
    let item = LineItem(of: record.program, id: record.id, description) {
      ($0.unread, $0.offload) = (unread.map { Int64($0) }, rules.isEmpty ? nil : rules)
      ($0.name, $0.isKept, $0.since) = (record.name, true, record.since?.seconds)
    }
    return item.message
  }
}
