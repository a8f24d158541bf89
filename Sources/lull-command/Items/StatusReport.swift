import LullWire

/// The report of `lull status`. The keys of its JSON are a promise: new keys may be added, these stay.
struct StatusReport: Encodable, Equatable {
  var daemon: DaemonItem
  @OrNull var device: DeviceItem?
  var remarks: [String] = []
  var programs: [ProgramReport] = []
  /// The programs that have ended, the last one first; nil when they were not asked for.
  var ended: [EndedItem]?
  /// The lines that are kept for programs that do not run; nil without any, or when they were not asked for.
  var kept: [LineItem]?

  init(_ items: [Message]) throws(WireError) {
    guard let first = try items.records(DaemonItem.self).first else { throw .missingField("kind=daemon") }
    daemon = first
    device = try items.records(DeviceItem.self).first
    remarks = try RemarkText.sentences(items)
    programs = try items.records(ProgramItem.self).map { ProgramReport($0) }.sorted { $0.name < $1.name }
    let lines = try items.records(LineItem.self)
    let kept = lines.filter(\.isKept)
    self.kept = kept.isEmpty ? nil : kept
    let places = Dictionary(programs.indices.map { (programs[$0].name, $0) }) { first, _ in first }
    for line in lines where !line.isKept { places[line.program].map { programs[$0].lines.append(line) } }
    for lease in try items.records(LeaseItem.self) {
      places[lease.program].map { programs[$0].leases.append(lease) }
    }
    for session in try items.records(SessionItem.self) {
      places[session.program].map { programs[$0].sessions.append(session) }
    }
    for item in try items.records(KeepAliveItem.self) {
      places[item.program].map { programs[$0].keepAlive = item }
    }
    for item in try items.records(TimerItem.self) {
      places[item.program].map { programs[$0].ownTimer = item }
    }
    for item in try items.records(WakeItem.self) { places[item.program].map { programs[$0].lastWake = item } }
    for item in try items.records(PurgeItem.self) { places[item.program].map { programs[$0].purges = item } }
    for item in try items.records(SleepItem.self) {
      places[item.program].map { programs[$0].refused = item.refusal }
    }
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

  init(_ item: ProgramItem) { self.item = item }

  subscript<Value>(dynamicMember field: KeyPath<ProgramItem, Value>) -> Value { item[keyPath: field] }

  var processor: ProcessorReport? { ProcessorReport(item) }
  var memory: MemoryReport? { MemoryReport(item) }

  func encode(to encoder: any Encoder) throws {
    try item.encode(to: encoder)
    try encoder.add([
      "leases": leases, "lines": lines, "sessions": sessions, "keepAlive": keepAlive, "ownTimer": ownTimer,
      "lastWake": lastWake, "refused": refused, "purges": purges,
    ])
    if let processor { try encoder.add(["processor": processor]) }
    if let memory { try encoder.add(["memory": memory]) }
  }
}

struct ProcessorReport: Encodable, Equatable {
  let seconds: Double
  /// What it used between its last two sleeps.
  @OrNull var secondsBetweenSleeps: Double?

  init?(_ item: ProgramItem) {
    guard let seconds = item.processorSeconds else { return nil }
    (self.seconds, secondsBetweenSleeps) = (seconds, item.wakeProcessorSeconds)
  }
}

struct MemoryReport: Encodable, Equatable {
  let residentBytes: Int64
  /// What was resident before memory was given back the last time, and right after it.
  @OrNull var beforeBytes: Int64?
  @OrNull var afterBytes: Int64?
  let isCompacted: Bool

  enum CodingKeys: String, CodingKey {
    case residentBytes, beforeBytes, afterBytes
    case isCompacted = "compacted"
  }

  init?(_ item: ProgramItem) {
    guard let resident = item.residentBytes else { return nil }
    residentBytes = resident
    (beforeBytes, afterBytes) = (item.residentBytesBefore, item.residentBytesAfter)
    isCompacted = !item.staysInMemory
  }
}

struct RefusalReport: Encodable, Equatable {
  /// A word of ``FreezeRefusal``, or of a newer daemon's.
  let reason: String
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
  let remarks: [String]
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
