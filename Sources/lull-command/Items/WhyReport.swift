import LullSystem
import LullWire

/// The report of `lull why`: a program's leases, and its last wake and sleep.
/// Its JSON has the keys of `lull status` where it says the same.
struct WhyReport: Encodable, Equatable {
  let name: String
  let state: String
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
  let remarks: [String]

  func encode(to encoder: any Encoder) throws {
    try encoder.add([
      "name": name, "state": state, "leases": leases, "lines": lines, "sessions": sessions,
      "ownTimer": ownTimer, "lastWake": wake, "sleptSecondsAgo": sleep?.agoSeconds, "refused": sleep?.refusal,
      "launchReason": launch?.cause, "launchedAt": launch?.at, "launchLine": launch?.detail,
      "signals": signals, "remarks": remarks,
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
    launch = try why.records(EntryItem.self).last { $0.what == "launched" }
    sleep = try why.records(SleepItem.self).first
    remarks = try RemarkText.sentences(why)
  }
}

extension ProgramReport {
  /// The names of the signals that somebody has sent to the processes of a sleeper, which take them when they
  /// run again.
  fileprivate var waitingSignals: [String] {
    guard item.state == "suspended" else { return [] }
    let numbers = item.pids.compactMap { Int32(exactly: $0) }.flatMap { Process.waitingSignals(of: $0) }
    return Set(numbers).sorted().map { Signal.name(of: $0) }
  }
}

/// The report of `lull why` on a program that does not run: its last end, and what comes next.
struct WhyEndedReport: Encodable, Equatable {
  let name: String
  /// `unmanaged` for one that runs on, and that the daemon does not manage.
  private(set) var state = "notRunning"
  @OrNull var ended: EndedItem?
  @OrNull var installed: InstalledReport?
  private(set) var remarks: [String]

  /// True when the daemon's answer is about a program that does not run.
  static func isOne(_ why: [Message]) -> Bool { why.contains { [.ended, .installed].contains($0.itemKind) } }

  mutating func noteMistakes(_ mistakes: [String]) {
    let isTold = installed?.state == .mistake || installed?.state == .failed
    installed?.mistake = mistakes.joined(separator: "\n")
    guard !mistakes.isEmpty, !isTold else { return }
    let told = "its file has a mistake, and it cannot be started before that is mended: "
    remarks = (installed?.state == .ended ? [] : remarks) + [told + mistakes[0]] + mistakes.dropFirst()
  }

  init(name: String, _ why: [Message]) throws(WireError) {
    self.name = name
    let end = try why.records(EndedItem.self).first
    let report = try why.records(InstalledItem.self).first.map { InstalledReport($0) }
    let next = report.map { $0.sentence(hasRun: end != nil) }
    remarks = [next].compactMap(\.self) + (try RemarkText.sentences(why))
    (ended, installed) = (end, report)
    if ended == nil, installed == nil, !remarks.isEmpty { state = "unmanaged" }
  }

  enum CodingKeys: String, CodingKey {
    case name, state, ended, installed, remarks
  }
}

/// The report of `lull why --machine`.
struct ResumeReport: Encodable, Equatable {
  struct Next: Encodable, Equatable {
    let program: String
    let reason: String
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
      program: try ok.string(.name), reason: reason, dueInSeconds: try ok.number(.dueInSeconds))
  }
}
