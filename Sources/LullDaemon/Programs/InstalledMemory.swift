import LullChannel
import LullEngine
import LullSystem
import LullWire

/// What the next daemon is to know of the installed programs. lull-guard keeps all of it; a file of the state
/// directory says which were force-quit, which have ended by themselves, and which ran, for when both have
/// died.
final class InstalledMemory {
  /// The memory of an earlier daemon.
  struct Remembered: Equatable {
    var programs: [KeptInstalled] = []
    /// True when that daemon died or was replaced, and the machine has run on since: what it started may run.
    var goesOn = false
    /// True when every program is told that the daemon knew, and not only those that are not to run.
    var isWhole = false

    func find(_ name: String) -> KeptInstalled? { programs.first { $0.name == name } }
  }

  /// The standing of the file.
  enum Standing: Equatable {
    case written, pending
    case failed(SystemError)
  }

  private let file: StateFile?
  private let journal: Journal
  /// What lull-guard kept of the daemon before this one.
  private var kept: [KeptInstalled] = []
  /// The programs whose end somebody had asked for under the daemon before this one.
  private var asked: [String] = []
  /// The programs as they were told last.
  private var programs: [KeptInstalled] = []
  /// Those of them that the file tells.
  private var written: [KeptInstalled] = []
  /// The programs that somebody ends to start them again.
  private var restarting: [String] = []
  private var hasNews = false
  private var isAnew = false
  /// True once there was something to keep.
  private var isUsed = false

  /// Kept in `directory`; nil when the user has no place for it.
  init(directory: String?, _ journal: Journal) {
    self.journal = journal
    file = directory.map { directory in
      StateFile(InstalledStandings.fileName, in: directory) { error in
        journal.note(
          at: Clock.realtime(), program: nil, what: "installed-unwritten",
          detail: "what is quit stays so until lull-guard ends, and not longer: \(error)")
      }
    }
  }

  // MARK: From the daemon before this one

  /// Takes what lull-guard kept of a program.
  func remember(_ program: KeptInstalled) { kept.append(program) }

  /// Takes note that somebody had asked for the end of a program, which may have ended since: it is not lost.
  func wasAskedToEnd(_ name: String) { asked.append(name) }

  /// What is remembered: the guard knows better than the disk.
  func read() -> Remembered {
    for index in kept.indices where kept[index].state == .running && asked.contains(kept[index].name) {
      kept[index].state = .ended
    }
    guard kept.isEmpty else { return Remembered(programs: kept, goesOn: true, isWhole: true) }
    guard let file else { return Remembered() }
    do {
      return Self.read(try file.read(limit: InstalledStandings.maximumBytes), boot: BootIdentity.current())
    } catch {
      if !error.isNotADirectory { journal.noteUnexpected(error, except: .removed) }
      return Remembered()
    }
  }

  /// A line that is none of the file's is passed over.
  static func read(_ bytes: [UInt8], boot: String?) -> Remembered {
    var remembered = Remembered()
    for line in bytes.split(separator: UInt8(ascii: "\n")) {
      guard let message = try? Message.parse(line.span, maximumLine: Limits.maximumGuardLine) else {
        continue
      }
      if message.verb == InstalledStandings.headVerb {
        let isSameBoot = boot != nil && message[.boot] == boot
        remembered.goesOn = isSameBoot && message[.state] == InstalledState.running.rawValue
        continue
      }
      let whole = message[.state] == nil ? message.adding(.state, message.verb) : message
      if let program = try? KeptInstalled(whole) { remembered.programs.append(program) }
    }
    return remembered
  }

  // MARK: To the next daemon

  /// Takes note that a program is quit, or is only ended to be started again: both processes may die in
  /// between, and then it is not to stay ended.
  func wasQuit(_ name: String, restarts: Bool) {
    restarting.removeAll { $0 == name }
    if restarts { restarting.append(name) }
    hasNews = true
  }

  /// Takes note that it is to be told what has changed.
  func changed() { hasNews = true }

  /// Takes note that lull-guard is to be told everything anew.
  func tellAnew() { (hasNews, isAnew) = (true, true) }

  /// What lull-guard is to be told, at the end of a turn. The file does not tell the ended ones that are
  /// `startingAnew` when both processes have died.
  func news(
    startingAnew: (String) -> Bool = { _ in false }, _ current: () -> [KeptInstalled]
  ) -> [Message] {
    guard hasNews else { return [] }
    hasNews = false
    let (old, new) = (programs, current())
    programs = new
    let isFirst = !isUsed && !new.isEmpty
    isUsed = isUsed || isFirst
    let known = written
    restarting.removeAll { name in !new.contains { $0.name == name && $0.state == .quit } }
    let told = new.map(onDisk).filter { [.quit, .running].contains($0.state) || !startingAnew($0.name) }
    written = told
    if isFirst || known != told {
      // Whoever quits a program waits until it is written.
      file?.changed(atOnce: known.filter { $0.state == .quit } != told.filter { $0.state == .quit })
    }
    defer { isAnew = false }
    return Self.changes(from: isAnew ? [] : old, to: new)
  }

  private func onDisk(_ program: KeptInstalled) -> KeptInstalled {
    restarting.contains(program.name) ? KeptInstalled(name: program.name, state: .running) : program.onDisk
  }

  /// Both are in the order of their names.
  private static func changes(from old: [KeptInstalled], to new: [KeptInstalled]) -> [Message] {
    var messages: [Message] = []
    var rest = old[...]
    for program in new {
      while let first = rest.first, first.name < program.name {
        messages.append(Message(.dropInstalled).adding(.name, first.name))
        rest.removeFirst()
      }
      let before = rest.first?.name == program.name ? rest.removeFirst() : nil
      if before != program { messages.append(program.adding(to: Message(.keepInstalled))) }
    }
    return messages + rest.map { Message(.dropInstalled).adding(.name, $0.name) }
  }

  /// The standing of the file. Nothing is pending where the user has no place for it.
  var standing: Standing {
    guard let file else { return .written }
    guard !hasNews, !file.isPending else { return .pending }
    return file.failure.map(Standing.failed) ?? .written
  }

  /// The moment at which there is something to do.
  var deadline: Int64? { file?.deadline }

  /// Has the file written, or asks what became of it, if that is due.
  func write(at now: Int64) { file?.work(at: now) { Self.bytes(written, isOver: false) } }

  /// Waits until everything is written, for a second at most: the daemon ends. Where it `isOver`, in good
  /// order, the next one starts what is installed anew.
  func finish(isOver: Bool) {
    guard isUsed else { return }
    file?.changed()
    file?.finish { Self.bytes(written, isOver: isOver) }
  }

  static func bytes(_ programs: [KeptInstalled], isOver: Bool) -> [UInt8] {
    var bytes: [UInt8] = []
    let state: InstalledState = isOver ? .ended : .running
    Message(InstalledStandings.headVerb).adding(.boot, BootIdentity.current()).adding(.state, state.rawValue)
      .encodeTruncating(into: &bytes)
    for program in programs.map(\.onDisk) {
      program.adding(to: Message(program.state.rawValue)).encodeTruncating(into: &bytes)
    }
    return bytes
  }
}

extension KeptInstalled {
  /// What the file of the state directory tells of it. How often one that is to run crashed, and when, would
  /// have the file written at each start.
  fileprivate var onDisk: KeptInstalled {
    switch state {
    case .ended, .quit: self
    default: KeptInstalled(name: name, state: .running)
    }
  }

  /// A program as the engine knows it.
  init(_ program: InstalledView, _ clock: EngineClock) {
    let state: InstalledState =
      switch program.memory {
      case .lost, .returning: .running
      case .boot, .waiting: .waiting
      case .ended: .ended
      case .quit: .quit
      }
    let past = program.past
    // That of a first run which need not wait may be before the machine was started.
    let since = past.keepAliveSince.map { max(0, clock.boottime(at: $0)) }
    self.init(
      name: program.name, state: state, cause: past.reason, restarts: Int64(past.crashes),
      cameAt: past.cameAt.map(clock.boottime(at:)), keepAlive: past.keepAlive,
      lastRun: past.hasKeptAlive ? since : nil, since: past.hasKeptAlive ? nil : since)
  }

  /// What the engine is told of it.
  func past(_ clock: EngineClock) -> InstalledPast {
    InstalledPast(
      reason: cause, crashes: Int(restarts), cameAt: cameAt.map(clock.moment(atBoottime:)),
      keepAlive: keepAlive,
      keepAliveSince: (lastRun ?? since).map(clock.moment(atBoottime:)), hasKeptAlive: lastRun != nil)
  }
}
