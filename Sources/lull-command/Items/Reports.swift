import LullSystem
import LullWire

/// The report of `lull status`. The keys of its JSON are a promise, as those of every report: new ones may be
/// added, these stay.
struct StatusReport: Encodable, Equatable {
  var daemon: DaemonItem
  @OrNull var device: DeviceItem?
  var notes: [String] = []
  var programs: [ProgramReport] = []
  /// The programs that have ended, the last one first; nil when they were not asked for.
  var ended: [EndedItem]?
  /// The lines that are kept for programs that do not run; nil without any, or when they were not asked for.
  var kept: [LineItem]?

  init(_ items: [Message]) throws(WireError) {
    guard let first = try items.records(DaemonItem.self).first else { throw .missingField("kind=daemon") }
    daemon = first
    device = try items.records(DeviceItem.self).first
    notes = try NoteText.sentences(items)
    programs = try items.records(ProgramItem.self).map { ProgramReport($0) }.sorted { $0.name < $1.name }
    let kept = try items.records(LineItem.self).filter(\.isKept)
    self.kept = kept.isEmpty ? nil : kept
    let places = Dictionary(programs.indices.map { (programs[$0].name, $0) }) { first, _ in first }
    func each<Item: DescribedItem>(
      _ program: KeyPath<Item, String>, _ take: (inout ProgramReport, Item) -> Void
    ) throws(WireError) {
      for item in try items.records(Item.self) {
        places[item[keyPath: program]].map { take(&programs[$0], item) }
      }
    }
    try each(\LineItem.program) { if !$1.isKept { $0.lines.append($1) } }
    try each(\LeaseItem.program) { $0.leases.append($1) }
    try each(\SessionItem.program) { $0.sessions.append($1) }
    try each(\KeepAliveItem.program) { $0.keepAlive = $1 }
    try each(\TimerItem.program) { $0.ownTimer = $1 }
    try each(\WakeItem.program) { $0.lastWake = $1 }
    try each(\PurgeItem.program) { $0.purges = $1 }
    try each(\TallyItem.program) { $0.tallies.append($1) }
    try each(\SleepItem.program) { $0.refused = $1.refusal }
  }
}

@dynamicMemberLookup
struct ProgramReport: Encodable, Equatable {
  let item: ProgramItem
  var leases: [LeaseItem] = []
  var lines: [LineItem] = []
  var sessions: [SessionItem] = []
  var keepAlive: KeepAliveItem?
  /// The earliest of the program's own timers, while it sleeps.
  var ownTimer: TimerItem?
  var lastWake: WakeItem?
  /// The refusal of its last attempt to sleep, as long as it has not slept since.
  var refused: RefusalReport?
  var purges: PurgeItem?
  /// What woke it and what kept it awake, the most frequent first.
  var tallies: [TallyItem] = []

  /// The wakes by each peer, or the refusals for each reason.
  func tallies(_ what: Vocabulary.Tallied) -> [TallyItem] {
    tallies.filter { $0.what.known == what }.sorted {
      ($0.seconds ?? 0, $0.count) > ($1.seconds ?? 0, $1.count)
    }
  }

  init(_ item: ProgramItem) { self.item = item }

  subscript<Value>(dynamicMember field: KeyPath<ProgramItem, Value>) -> Value { item[keyPath: field] }

  func encode(to encoder: any Encoder) throws {
    try item.encode(to: encoder)
    try encoder.add([
      "leases": leases, "lines": lines, "sessions": sessions, "keepAlive": keepAlive, "ownTimer": ownTimer,
      "lastWake": lastWake, "refused": refused, "purges": purges,
      "wakesBy": tallies(.wake), "refusals": tallies(.refusal),
    ])
    // NAMESPACE/POD/CONTAINER, or the container alone.
    let origin = item.adopts?.known == .container ? item.origin : nil
    let place = origin?.split(separator: "/").map(String.init) ?? []
    let isPod = place.count == 3
    try encoder.add([
      "namespace": isPod ? place[0] : nil, "pod": isPod ? place[1] : nil, "container": place.last,
    ])
    if let seconds = item.processorSeconds {
      try encoder.add([
        "processor": JSONObject(["seconds": seconds, "secondsBetweenSleeps": item.wakeProcessorSeconds])
      ])
    }
    if let resident = item.residentBytes {
      try encoder.add([
        "memory": JSONObject([
          "residentBytes": resident, "beforeBytes": item.residentBytesBefore,
          "afterBytes": item.residentBytesAfter, "compacted": !item.staysInMemory,
        ])
      ])
    }
  }
}

struct RefusalReport: Encodable, Equatable {
  let reason: OpenWord<FreezeRefusal>
  @OrNull var detail: String?
}

extension SleepItem {
  var refusal: RefusalReport? { refused.map { RefusalReport(reason: $0, detail: detail) } }
}

extension NotificationItem {
  /// Nil where it is repeated by the calendar.
  private var repeatSeconds: Double? { repeats.flatMap { Double($0) } }
  private var repeatUnit: CalendarUnit? { repeats.flatMap(CalendarUnit.init(rawValue:)) }

  var repetition: String? {
    if let repeatSeconds { return "every \(DurationText.text(seconds: repeatSeconds))" }
    return repeatUnit.map { "every \($0)" + (zone.map { " in \($0)" } ?? "") }
  }

  func encode(to encoder: any Encoder) throws {
    try encodeFields(to: encoder)
    try encoder.add(["repeatSeconds": repeatSeconds, "repeatUnit": repeatUnit?.rawValue])
  }
}

/// What `lull status NAME` shows of a program that runs.
struct ProgramPage {
  let program: ProgramReport
  let why: WhyReport
  let notes: [String]
  /// The words of the command that its first process runs; none where they cannot be read.
  var command: [String] = []
  var since: Double?
  var wakes: [EntryItem] = []
  var log: [String] = []
}

extension StatusReport {
  /// The time, in seconds, for which the times in it stay about right; nil when there are none.
  var patience: Double? { programs.flatMap(\.times).map(DurationText.patience).min() }

  mutating func age(by seconds: Double) {
    for index in programs.indices { programs[index].age(by: seconds) }
  }
}

extension ProgramReport {
  /// The times that the short forms of its cells show, in seconds.
  fileprivate var times: [Double] {
    leases.compactMap(\.endsInSeconds)
      + [lastWake?.agoSeconds, keepAlive?.dueInSeconds, ownTimer?.dueInSeconds].compactMap(\.self)
  }

  fileprivate mutating func age(by seconds: Double) {
    for index in leases.indices {
      leases[index].endsInSeconds = leases[index].endsInSeconds.map { max(0, $0 - seconds) }
    }
    lastWake?.agoSeconds += seconds
    keepAlive?.dueInSeconds -= seconds
    if let due = ownTimer?.dueInSeconds { ownTimer?.dueInSeconds = due - seconds }
    if let look = ownTimer?.lookInSeconds { ownTimer?.lookInSeconds = max(0, look - seconds) }
  }
}

/// The report of `lull why`; its JSON has the keys of `lull status` where it says the same.
struct WhyReport: Encodable, Equatable {
  let name: String
  let state: OpenWord<ApplicationState>
  let plays: Bool
  let leases: [LeaseItem]
  let lines: [LineItem]
  let sessions: [SessionItem]
  /// The earliest of the program's own timers, while it sleeps.
  let ownTimer: TimerItem?
  let wake: WakeItem?
  let sleep: SleepItem?
  let launch: EntryItem?
  let signals: [String]
  let notes: [String]

  func encode(to encoder: any Encoder) throws {
    try encoder.add([
      "name": name, "state": state, "leases": leases, "lines": lines, "sessions": sessions,
      "ownTimer": ownTimer, "lastWake": wake, "sleptSecondsAgo": sleep?.agoSeconds, "refused": sleep?.refusal,
      "launchReason": launch?.cause, "launchedAt": launch?.at, "launchLine": launch?.detail,
      "signals": signals, "notes": notes,
    ])
  }

  init(status: [Message], why: [Message]) throws(WireError) {
    guard let item = try status.records(ProgramItem.self).first else { throw .missingField("kind=program") }
    var program = ProgramReport(item)
    program.lines = try status.records(LineItem.self)
    try self.init(program, why: why)
  }

  init(_ program: ProgramReport, why: [Message]) throws(WireError) {
    (name, state, lines, signals) = (program.name, program.state, program.lines, program.waitingSignals)
    plays = program.modes.contains(Modes.audio.words[0])
    leases = try why.records(LeaseItem.self)
    sessions = try why.records(SessionItem.self)
    ownTimer = try why.records(TimerItem.self).first
    wake = try why.records(WakeItem.self).first
    launch = try why.records(EntryItem.self).last { $0.what.known == .launched }
    sleep = try why.records(SleepItem.self).first
    notes = try NoteText.sentences(why)
  }
}

extension ProgramReport {
  /// The names of the signals that somebody has sent to the processes of a sleeper, which take them when they
  /// run again.
  fileprivate var waitingSignals: [String] {
    guard item.state.known == .suspended else { return [] }
    let numbers = item.pids.compactMap { Int32(exactly: $0) }.flatMap { pid in
      // One that is stopped by signals is told by SIGCHLD of its children, which are stopped with it.
      Process.waitingSignals(of: pid).filter { $0 != Signal.child || (try? Process.isStopped(pid)) != true }
    }
    return Set(numbers).sorted().map { Signal.name(of: $0) }
  }
}

/// The report of `lull why` on a program that does not run.
struct WhyEndedReport: Encodable, Equatable {
  enum State: String, Encodable {
    case notRunning
    /// It runs on, and the daemon does not manage it.
    case unmanaged
  }

  let name: String
  private(set) var state = State.notRunning
  @OrNull var ended: EndedItem?
  @OrNull var installed: InstalledReport?
  private(set) var notes: [String]

  /// True when the daemon's answer is about a program that does not run.
  static func isOne(_ why: [Message]) -> Bool { why.contains { [.ended, .installed].contains($0.itemKind) } }

  mutating func noteErrors(_ errors: [String]) {
    let isTold = installed?.state == .misconfigured || installed?.state == .failed
    installed?.error = errors.joined(separator: "\n")
    guard !errors.isEmpty, !isTold else { return }
    let told = "its file has an error, and it cannot be started before that is mended: "
    notes = (installed?.state == .ended ? [] : notes) + [told + errors[0]] + errors.dropFirst()
  }

  init(name: String, _ why: [Message]) throws(WireError) {
    self.name = name
    let end = try why.records(EndedItem.self).first
    let report = try why.records(InstalledItem.self).first.map { InstalledReport($0) }
    let next = report.map { $0.sentence(hasRun: end != nil) }
    notes = [next].compactMap(\.self) + (try NoteText.sentences(why))
    (ended, installed) = (end, report)
    if ended == nil, installed == nil, !notes.isEmpty { state = .unmanaged }
  }
}

/// The report of `lull why --machine`.
struct ResumeReport: Encodable, Equatable {
  struct Next: Encodable, Equatable {
    let program: String
    let reason: OpenWord<ResumeReason>
    let dueInSeconds: Double
  }

  let isPermitted: Bool
  @OrNull var next: Next?

  enum CodingKeys: String, CodingKey {
    case next
    case isPermitted = "permitted"
  }

  init(_ ok: Message) throws(WireError) {
    isPermitted = ok[.on] == Vocabulary.Choice.yes.rawValue
    guard let reason = ok[.reason] else { return }
    next = Next(
      program: try ok.string(.name), reason: OpenWord(reason), dueInSeconds: try ok.number(.dueInSeconds))
  }
}

/// An installed program, for `lull list`.
@dynamicMemberLookup
struct InstalledReport: Encodable, Equatable {
  let item: InstalledItem
  /// The state of the program that runs, as `lull status` has it.
  var running: OpenWord<ApplicationState>?
  var command: [String]?
  var error: String?

  init(_ item: InstalledItem) { self.item = item }

  init(name: String) { item = InstalledItem { $0.name = name } }

  subscript<Value>(dynamicMember field: KeyPath<InstalledItem, Value>) -> Value { item[keyPath: field] }

  /// Nil: it has another state than this version knows, or the daemon has not seen its file.
  var state: InstalledState? { item.state.known }
  /// What may start one that has ended by itself, beside the next start of lulld and the user.
  var starters: String? {
    var words = (item.starters ?? []).map { reason in
      switch LaunchReason(rawValue: reason) {
      case .data: "data on a connection that was kept"
      case .notification: "an answer to its notification"
      case .url: "a link (\((item.schemes ?? []).joined(separator: ", ")))"
      case .keepalive: "its keep-alive"
      case .fetch: "its next fetch"
      case .user, .push, .boot, .crash, nil: reason
      }
    }
    let last = words.popLast()
    return words.isEmpty ? last : last.map { "\(words.joined(separator: ", ")) or \($0)" }
  }
  var unwritten: String? { item.isWaiting ? "it is being written" : item.detail }

  func encode(to encoder: any Encoder) throws {
    try item.encode(to: encoder)
    try encoder.add([
      "state": state?.rawValue, "unwritten": unwritten, "command": command, "error": error,
    ])
  }
}

struct DaemonStateReport: Encodable, Equatable {
  let daemon: DaemonItem
  let socket: String
  /// The programs that are managed, and those of them that sleep.
  let programs: Int
  let asleep: Int
  let notes: [String]

  init(_ status: StatusReport, socket: String) {
    (daemon, self.socket, notes) = (status.daemon, socket, status.notes)
    let managed = status.programs.filter { $0.managed != nil }
    programs = managed.count
    asleep = managed.count { $0.state.known == .suspended }
  }

  func encode(to encoder: any Encoder) throws {
    try daemon.encode(to: encoder)
    try encoder.add(["socket": socket, "programs": programs, "asleep": asleep, "notes": notes])
  }
}

struct SoundReport: Encodable, Equatable {
  struct Place: Encodable, Equatable {
    let program: String
    let session: SessionItem
  }

  var devices: [DeviceItem]
  var sessions: [Place] = []

  init(_ items: [Message]) throws(WireError) {
    devices = try items.records(DeviceItem.self)
    sessions = try items.records(SessionItem.self).map { Place(program: $0.program, session: $0) }
  }
}

struct WakesReport: Encodable, Equatable {
  struct Sum: Encodable, Equatable {
    let reason: String
    /// The sender, or the line in words; nil for reasons without one.
    @OrNull var by: String?
    var count: Int64 = 0
    /// Seconds since 1970.
    var last = 0.0
    @OrNull var longestWaitMicroseconds: Int64?
  }

  let name: String
  let count: Int64
  /// The time of the oldest entry of the program, in seconds since 1970; nil when there is none.
  @OrNull var since: Double?
  let wakes: [Sum]

  /// The entries are those of one program, oldest first.
  init(name: String, _ entries: [EntryItem]) {
    var sums: [Sum] = []
    for entry in entries where entry.what.known == .woke {
      let reason = entry.cause ?? ""
      let by = entry.peer ?? entry.detail
      let index = sums.firstIndex { $0.reason == reason && $0.by == by } ?? sums.count
      if index == sums.count { sums.append(Sum(reason: reason, by: by)) }
      sums[index].count += entry.count
      sums[index].last = entry.at
      if let waited = entry.waitedMicroseconds {
        sums[index].longestWaitMicroseconds = max(waited, sums[index].longestWaitMicroseconds ?? 0)
      }
    }
    self.name = name
    count = sums.reduce(0) { $0 + $1.count }
    since = entries.first?.at
    wakes = sums.sorted { ($0.count, $0.last) > ($1.count, $1.last) }
  }
}
