import LullWire

/// The report of `lull status`. The keys of its JSON are a promise: new keys may be added, these stay.
struct StatusReport: Encodable, Equatable {
  var daemon: DaemonItem
  /// Nil while there is no sound device.
  @OrNull var device: DeviceItem?
  var remarks: [String] = []
  /// The programs in the order of their names.
  var programs: [ProgramReport] = []
  /// The programs that have ended, the last one first; nil when they were not asked for.
  var ended: [EndedItem]?
  /// The lines that are kept for programs that do not run; nil without any, or when they were not asked for.
  var kept: [LineItem]?

  init(_ items: [Message]) throws(WireError) {
    guard let first = try items.records(DaemonItem.self).first else { throw .missingField("kind=daemon") }
    daemon = first
    device = try items.records(DeviceItem.self).first
    remarks = try items.records(RemarkItem.self).map(\.text)
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

/// A program with the items that belong to it.
@dynamicMemberLookup
struct ProgramReport: Encodable, Equatable {
  let item: ProgramItem
  var leases: [LeaseItem] = []
  var lines: [LineItem] = []
  var sessions: [SessionItem] = []
  @OrNull var keepAlive: KeepAliveItem?
  /// The earliest of the program's own timers, while it sleeps.
  @OrNull var ownTimer: TimerItem?
  @OrNull var lastWake: WakeItem?
  /// The refusal of its last attempt to sleep, as long as it has not slept since.
  @OrNull var refused: RefusalReport?
  /// Nil when it was never purged.
  @OrNull var purges: PurgeItem?

  init(_ item: ProgramItem) { self.item = item }

  subscript<Value>(dynamicMember field: KeyPath<ProgramItem, Value>) -> Value { item[keyPath: field] }

  var processor: ProcessorReport? { ProcessorReport(item) }
  var memory: MemoryReport? { MemoryReport(item) }

  enum CodingKeys: String, CodingKey {
    case leases, lines, sessions, keepAlive, ownTimer, lastWake, refused, purges, processor, memory
  }

  func encode(to encoder: any Encoder) throws {
    try item.encode(to: encoder)
    var keys = encoder.container(keyedBy: CodingKeys.self)
    try keys.encode(leases, forKey: .leases)
    try keys.encode(lines, forKey: .lines)
    try keys.encode(sessions, forKey: .sessions)
    try keys.encode(_keepAlive, forKey: .keepAlive)
    try keys.encode(_ownTimer, forKey: .ownTimer)
    try keys.encode(_lastWake, forKey: .lastWake)
    try keys.encode(_refused, forKey: .refused)
    try keys.encode(_purges, forKey: .purges)
    try keys.encodeIfPresent(processor, forKey: .processor)
    try keys.encodeIfPresent(memory, forKey: .memory)
  }
}
