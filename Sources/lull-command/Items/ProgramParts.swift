import LullWire

struct ProcessorReport: Encodable, Equatable {
  let seconds: Double
  /// What it used between its last two sleeps.
  @OrNull var secondsBetweenSleeps: Double?

  /// Nil where the daemon does not know it.
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

  /// Nil where the daemon does not know it.
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
  /// The obstacle, such as a thread or a descriptor.
  @OrNull var detail: String?
}

extension SleepItem {
  var refusal: RefusalReport? { refused.map { RefusalReport(reason: $0, detail: detail) } }
}

extension TimerItem {
  mutating func age(by seconds: Double) {
    dueInSeconds = dueInSeconds.map { $0 - seconds }
    lookInSeconds = lookInSeconds.map { max(0, $0 - seconds) }
  }
}

extension NotificationItem {
  /// Nil where it is repeated by the calendar.
  private var repeatSeconds: Double? { repeats.flatMap { Double($0) } }
  private var repeatUnit: CalendarUnit? { repeats.flatMap(CalendarUnit.init(rawValue:)) }

  /// How often it is shown again, in words.
  var repetition: String? {
    if let repeatSeconds { return "every \(DurationText.text(seconds: repeatSeconds))" }
    return repeatUnit.map { "every \($0)" + (zone.map { " in \($0)" } ?? "") }
  }

  func encode(to encoder: any Encoder) throws {
    try encodeFields(to: encoder)
    var more = encoder.container(keyedBy: JSONName.self)
    try more.encode(OrNull(wrappedValue: repeatSeconds), forKey: JSONName(stringValue: "repeatSeconds"))
    try more.encode(OrNull(wrappedValue: repeatUnit?.rawValue), forKey: JSONName(stringValue: "repeatUnit"))
  }
}
