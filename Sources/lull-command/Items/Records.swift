import LullWire

struct EntryReport: Encodable, Equatable {
  /// Seconds since 1970.
  let at: Double
  @OrNull var program: String?
  let what: String
  @OrNull var cause: String?
  @OrNull var line: UInt64?
  @OrNull var detail: String?
  /// The peer that has woken the program.
  @OrNull var peer: String?
  @OrNull var waitedMicroseconds: Int64?
  /// The number of events that the entry sums up.
  let count: Int
  /// True for an entry of a lulld before this one.
  let isEarlier: Bool

  enum CodingKeys: String, CodingKey {
    case at, program, what, cause, line, detail, peer, waitedMicroseconds, count
    case isEarlier = "earlier"
  }

  init(_ item: Message) throws(WireError) {
    at = try item.number(.at)
    program = item[.program]
    what = try item.string(.what)
    cause = item[.cause]
    line = try item.unsigned(ifPresent: .line)
    detail = item[.detail]
    peer = item[.peer]
    waitedMicroseconds = try item.integer(ifPresent: .waitedMicroseconds)
    count = Int(try item.integer(ifPresent: .count) ?? 1)
    isEarlier = try item.flag(.earlier)
  }
}

struct NotificationReport: Encodable, Equatable {
  let id: UInt64
  let program: String
  let state: String
  let body: String
  @OrNull var title: String?
  @OrNull var action: String?
  /// `default` or the path of a file.
  @OrNull var sound: String?
  let isCall: Bool
  /// Seconds since 1970.
  @OrNull var at: Double?
  @OrNull var repeatSeconds: Double?
  /// The unit of the calendar after which it is shown again, and its time zone.
  @OrNull var repeatUnit: String?
  @OrNull var zone: String?

  enum CodingKeys: String, CodingKey {
    case id, program, state, body, title, action, sound, at, repeatSeconds, repeatUnit, zone
    case isCall = "call"
  }

  var repeats: String? {
    if let repeatSeconds { return "every \(DurationText.text(seconds: repeatSeconds))" }
    guard let repeatUnit else { return nil }
    return "every \(repeatUnit)" + (zone.map { " in \($0)" } ?? "")
  }

  init(_ item: Message) throws(WireError) {
    id = try item.unsigned(.notification)
    program = try item.string(.program)
    state = try item.string(.state)
    body = try item.string(.body)
    title = item[.title]
    action = item[.action]
    sound = item[.sound]
    isCall = try item.flag(.call)
    at = try item.number(ifPresent: .at)
    zone = item[.zone]
    repeatUnit = item[.repeat].flatMap(CalendarUnit.init(rawValue:))?.rawValue
    repeatSeconds = repeatUnit == nil ? try item.number(ifPresent: .repeat) : nil
  }
}

struct CheckReport: Encodable, Equatable {
  let name: String
  let result: Vocabulary.CheckResult
  let detail: String
  @OrNull var mend: String?

  init(name: String, _ result: Vocabulary.CheckResult, _ detail: String, mend: String? = nil) {
    self.name = name
    self.result = result
    self.detail = detail
    self.mend = mend
  }

  func encode(to encoder: any Encoder) throws {
    var keys = encoder.container(keyedBy: CodingKeys.self)
    try keys.encode(name, forKey: .name)
    try keys.encode(result.rawValue, forKey: .result)
    try keys.encode(detail, forKey: .detail)
    try keys.encode(_mend, forKey: .mend)
  }

  private enum CodingKeys: String, CodingKey {
    case name, result, detail, mend
  }

  /// A check by the daemon, which may be allowed more or less than this process.
  init(daemon item: Message) throws(WireError) {
    name = "daemon \(try item.string(.name))"
    result = try item.word(.result, as: Vocabulary.CheckResult.self)
    detail = try item.string(.detail)
    mend = item[.mend]
  }
}

extension [Message] {
  func read<Report>(
    _ kind: ItemKind, _ make: (Message) throws(WireError) -> Report
  ) throws(WireError) -> [Report] {
    var reports: [Report] = []
    for item in self where item.itemKind == kind { reports.append(try make(item)) }
    return reports
  }
}
