/// What the next supervisor must know of the programs, their ends and their notifications. Only records
/// change a ledger; its file has these records, or those of a snapshot.
public struct Ledger: Equatable, Sendable {
  /// The life of the supervisor that writes the records.
  public enum Supervisor: Equatable, Sendable {
    case none
    /// It runs, or died.
    case begun
    /// It ended in good order: the next one starts anew what is installed.
    case finished
  }

  /// The most ends that are remembered.
  public static let maximumEnds = 64

  /// The life of the supervisor.
  public private(set) var supervisor = Supervisor.none
  /// A service manager has started the supervisor, and starts the next one as well.
  public private(set) var isService = false
  /// False while the installed programs are still to be started: the supervisor, and those after it, were to
  /// take back what ran and to start nothing else.
  public private(set) var isBooted = true
  /// The managed programs, in the order of their beginnings.
  public private(set) var programs: [ProgramEntry] = []
  /// The installed programs, in the order of their names.
  public private(set) var installed: [InstalledEntry] = []
  /// The notifications, in the order in which they came.
  public private(set) var notifications: [NotificationEntry] = []
  /// The ends, the oldest first.
  public private(set) var ends: [EndEntry] = []
  /// True while notifications make no sound.
  public private(set) var isQuiet = false

  /// What the user has said of programs that record, in the order in which it was said.
  public private(set) var recordings: [RecordingEntry] = []

  /// An empty ledger.
  public init() {}

  /// The ledger of these records.
  public init(_ records: [LedgerRecord]) {
    for record in records { apply(record) }
  }

  /// The managed program of that name.
  public func program(_ name: String) -> ProgramEntry? { programs.first { $0.name == name } }

  /// The installed program of that name.
  public func installed(_ name: String) -> InstalledEntry? {
    place(ofInstalled: name).flatMap { installed[$0].name == name ? installed[$0] : nil }
  }

  // MARK: Records

  /// Returns false for a record that changes nothing and need not be written.
  @discardableResult
  public mutating func apply(_ record: LedgerRecord) -> Bool {
    let before = self
    switch record {
    case .began(let isAfterFault, let isService, let boots):
      (self.isService, isBooted) = (isService, boots)
      begin(isAfterFault: isAfterFault)
    case .booted: isBooted = true
    case .finished: supervisor = .finished
    case .program(let entry): manage(entry)
    case .progress(let name, let progress): note(progress, of: name)
    case .exited(let end): exited(end)
    case .ended(let end): ended(end)
    case .installed(let entry): note(entry)
    case .uninstalled(let name): installed.removeAll { $0.name == name }
    case .notification(let entry): show(entry)
    case .withdrawn(let id, let isScheduled):
      notifications.removeAll { $0.id == id && $0.isScheduled == isScheduled }
    case .quiet(let isOn): isQuiet = isOn
    case .recording(let entry):
      recordings.note(entry)
    }
    return self != before
  }

  private mutating func begin(isAfterFault: Bool) {
    // The installed programs are started anew, also when the supervisor dies before it has begun with that.
    if supervisor != .begun {
      for index in installed.indices where installed[index].state != .quit {
        installed[index] = InstalledEntry(name: installed[index].name, state: .waiting)
      }
    }
    supervisor = .begun
    let blamed =
      programs.firstIndex { $0.progress == .taking } ?? programs.firstIndex { $0.progress == .trying }
    if isAfterFault, let blamed { programs[blamed].deaths += 1 }
    for index in programs.indices { programs[index].progress = nil }
  }

  private mutating func manage(_ entry: ProgramEntry) {
    guard let index = programs.firstIndex(where: { $0.name == entry.name }) else {
      return programs.append(entry)
    }
    var entry = entry
    if programs[index].process == entry.process {
      entry.deaths = max(entry.deaths, programs[index].deaths)
      entry.progress = entry.progress ?? programs[index].progress
      entry.exit = entry.exit ?? programs[index].exit
      entry.command?.remember(programs[index].command)
    }
    programs[index] = entry
  }

  private mutating func note(_ progress: ReturnProgress, of name: String) {
    guard let index = programs.firstIndex(where: { $0.name == name }) else { return }
    programs[index].progress = progress
    if progress == .tried { programs[index].deaths = 0 }
  }

  /// Other processes of the program may go on. Without a managed program this is the end.
  private mutating func exited(_ end: EndEntry) {
    guard let index = programs.firstIndex(where: { $0.name == end.name && end.isEnd(of: $0) }) else {
      return ended(end)
    }
    programs[index].exit = programs[index].exit.map { $0.joined(with: end) } ?? end
  }

  /// A process ends once: each report of that end adds to what is known of it.
  private mutating func ended(_ end: EndEntry) {
    var end = end
    let index = programs.firstIndex { $0.name == end.name && end.isEnd(of: $0) }
    if let index {
      end = programs[index].exit.map { $0.joined(with: end) } ?? end
      if end.process == nil { end.process = programs[index].process }
      // Its parent, which may have told of the end, does not know that somebody had asked for it.
      end.reason = programs[index].command?.endWord ?? end.reason
      noteKeepAlive(of: programs[index])
      programs.remove(at: index)
    }
    // A parent tells only the status, and the ledger that knew the program may be gone.
    end.reason = end.reason ?? OpenWord(end.status)
    if end.process != nil, let known = ends.lastIndex(where: { $0.isSameLife(as: end) }) {
      return ends[known] = ends[known].joined(with: end)
    }
    if ends.count == Self.maximumEnds {
      // An end older than all that are remembered was forgotten before. The end of a managed program is new,
      // also when the clock was set back.
      guard index != nil || end.at >= ends[0].at else { return }
      ends.removeFirst()
    }
    ends.append(end)
  }

  /// The next run of an installed program's keep-alive, for which it may be started, counts from the last one
  /// of this life, also where no supervisor has seen its end.
  private mutating func noteKeepAlive(of program: ProgramEntry) {
    guard let ranAt = program.command?.keepAliveRanAt, let place = place(ofInstalled: program.name),
      installed[place].name == program.name, installed[place].keepAlive != nil
    else { return }
    (installed[place].lastRun, installed[place].since) = (max(ranAt, installed[place].lastRun ?? ranAt), nil)
  }

  private mutating func note(_ entry: InstalledEntry) {
    guard let place = place(ofInstalled: entry.name) else { return installed.append(entry) }
    if installed[place].name == entry.name {
      installed[place] = entry
    } else {
      installed.insert(entry, at: place)
    }
  }

  /// Returns nil when every name comes before this one.
  private func place(ofInstalled name: String) -> Int? {
    let place = installed.firstPlace { $0.name >= name }
    return place < installed.count ? place : nil
  }

  /// A notification that is shown and does not repeat is not to be shown again, whatever happens before the
  /// ledger is told that its time is over.
  private mutating func show(_ entry: NotificationEntry) {
    if !entry.isScheduled {
      notifications.removeAll { $0.id == entry.id && $0.isScheduled && $0.repeats == nil }
    }
    let index = notifications.firstIndex { $0.id == entry.id && $0.isScheduled == entry.isScheduled }
    guard let index else { return notifications.append(entry) }
    // The new record goes behind the shown one of the same number, which would end it.
    guard entry.isScheduled, entry.repeats == nil, notifications[index] != entry else {
      return notifications[index] = entry
    }
    notifications.remove(at: index)
    notifications.append(entry)
  }
}

extension CommandEntry {
  /// A request for its end and the runs of its keep-alive stay known as long as the process lives: a
  /// supervisor that takes the command back may write it anew before it has told these again.
  fileprivate mutating func remember(_ previous: CommandEntry?) {
    speaks = speaks || previous?.speaks == true
    ending = ending ?? previous?.ending
    endWord = endWord ?? previous?.endWord
    keepAliveRanAt = [keepAliveRanAt, previous?.keepAliveRanAt].compactMap(\.self).max()
    fetchedAt = [fetchedAt, previous?.fetchedAt].compactMap(\.self).max()
    askedToEndAt = [askedToEndAt, previous?.askedToEndAt].compactMap(\.self).max()
  }
}

extension Ledger {
  private var began: LedgerRecord { .began(isAfterFault: false, isService: isService, boots: isBooted) }

  /// The records that make this ledger out of an empty one.
  public func snapshot() -> [LedgerRecord] {
    var records: [LedgerRecord] = []
    switch supervisor {
    case .none: break
    case .begun: records.append(began)
    case .finished: records += [began, .finished]
    }
    if isQuiet { records.append(.quiet(true)) }
    records += recordings.map { .recording($0) }
    return records + ends.map { .ended($0) } + installed.map { .installed($0) }
      + programs.map { .program($0) } + notifications.map { .notification($0) }
  }

  /// The records of what outlives the machine. Processes do not, nobody waits at the other end of a call, and
  /// earlier crashes of a program that is to run no longer matter. A program with kept lines is
  /// `startingAnew`: without the lines nothing but a start brings it back.
  public func lastingSnapshot(startingAnew: (String) -> Bool = { _ in false }) -> [LedgerRecord] {
    var lasting = self
    lasting.programs = []
    lasting.notifications.removeAll { $0.content.isCall && !$0.isScheduled }
    lasting.installed = installed.map { entry in
      switch entry.state {
      case .quit: entry
      case .ended where !startingAnew(entry.name): entry
      default: InstalledEntry(name: entry.name, state: .running)
      }
    }
    return lasting.snapshot()
  }

  /// The ledger of a machine that was started since: its processes and its clock's moments are gone.
  public func afterBoot() -> Ledger {
    var ledger = Ledger(lastingSnapshot())
    (ledger.supervisor, ledger.isService, ledger.isBooted) = (.none, false, true)
    for index in ledger.ends.indices { ledger.ends[index].process = nil }
    ledger.installed = ledger.installed.map { InstalledEntry(name: $0.name, state: $0.state) }
    for index in ledger.notifications.indices { ledger.notifications[index].due = nil }
    return ledger
  }
}

extension EndEntry {
  fileprivate func isEnd(of program: ProgramEntry) -> Bool {
    process == nil || process == program.process
  }

  fileprivate func isSameLife(as other: EndEntry) -> Bool { name == other.name && process == other.process }

  fileprivate func joined(with other: EndEntry) -> EndEntry {
    var end = self
    if hasLeft { (end.hasLeft, end.at) = (other.hasLeft, other.at) }
    if status == .unknown { end.status = other.status }
    end.reason = reason ?? other.reason
    if schemes.isEmpty { end.schemes = other.schemes }
    return end
  }
}
