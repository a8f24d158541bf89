import LullSystem
import LullWire

/// The report of `lull why`: a program's leases, and its last wake and sleep.
/// Its JSON has the keys of `lull status` where it says the same.
struct WhyReport: Encodable, Equatable {
  let name: String
  let state: String
  /// True for one that may play in the background.
  let plays: Bool
  let leases: [LeaseReport]
  let lines: [LineReport]
  let sessions: [SessionReport]
  /// The earliest of the program's own timers, while it sleeps.
  @OrNull var ownTimer: OwnTimerReport?
  @OrNull var wake: WakeReport?
  let sleep: SleepReport?
  /// The entry of its launch; nil when nothing is known of that.
  let launch: EntryReport?
  /// The names of the signals that wait until it wakes.
  let signals: [String]
  let remarks: [String]

  func encode(to encoder: any Encoder) throws {
    var keys = encoder.container(keyedBy: CodingKeys.self)
    try keys.encode(name, forKey: .name)
    try keys.encode(state, forKey: .state)
    try keys.encode(leases, forKey: .leases)
    try keys.encode(lines, forKey: .lines)
    try keys.encode(sessions, forKey: .sessions)
    try keys.encode(_ownTimer, forKey: .ownTimer)
    try keys.encode(_wake, forKey: .wake)
    try keys.encode(OrNull(wrappedValue: sleep?.agoSeconds), forKey: .sleptSecondsAgo)
    try keys.encode(OrNull(wrappedValue: sleep?.refusal), forKey: .refused)
    try keys.encode(OrNull(wrappedValue: launch?.cause), forKey: .launchReason)
    try keys.encode(OrNull(wrappedValue: launch?.at), forKey: .launchedAt)
    try keys.encode(OrNull(wrappedValue: launch?.detail), forKey: .launchLine)
    try keys.encode(signals, forKey: .signals)
    try keys.encode(remarks, forKey: .remarks)
  }

  private enum CodingKeys: String, CodingKey {
    case name, state, leases, lines, sessions, ownTimer, sleptSecondsAgo, refused, remarks, signals
    case launchReason, launchedAt, launchLine
    case wake = "lastWake"
  }

  init(status: [Message], why: [Message]) throws(WireError) {
    guard let item = status.first(where: { $0.itemKind == .program }) else {
      throw .missingField("kind=program")
    }
    var program = try ProgramReport(item)
    program.lines = try status.read(.line, LineReport.init)
    try self.init(program, why: why)
  }

  init(_ program: ProgramReport, why: [Message]) throws(WireError) {
    (name, state, lines, signals) = (program.name, program.state, program.lines, program.waitingSignals)
    plays = program.modes.contains(Modes.audio.words[0])
    leases = try why.read(.lease, LeaseReport.init)
    sessions = try why.read(.session, SessionReport.init)
    ownTimer = try why.read(.timer, OwnTimerReport.init).first
    wake = try why.read(.wake, WakeReport.init).first
    launch = try why.read(.entry, EntryReport.init).last { $0.what == "launched" }
    sleep = try why.read(.sleep, SleepReport.init).first
    remarks = try why.read(.remark) { (item) throws(WireError) in try item.string(.text) }
  }
}

extension ProgramReport {
  /// The names of the signals that somebody has sent to the processes of a sleeper, which take them when they
  /// run again.
  fileprivate var waitingSignals: [String] {
    guard state == "suspended" else { return [] }
    let numbers = pids.compactMap { Int32(exactly: $0) }.flatMap { Process.waitingSignals(of: $0) }
    return Set(numbers).sorted().map { Signal.name(of: $0) }
  }
}
