import ArgumentParser
import LullWire

/// `lull why NAME`.
struct WhyCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "why",
    abstract: "Tell what keeps a program awake, or why it last woke.",
    discussion: "Example: lull why phone")

  @OptionGroup var program: ProgramArgument

  func run() throws(Failure) {
    var connection = try Daemon.connect()
    let status = try connection.ask(.status(name: program.name)).items
    let why = try connection.ask(.why(name: program.name)).items
    let report: WhyReport
    do { report = try WhyReport(status: status, why: why) } catch { throw .unreadable(error) }
    try Output.write(WhyText.text(report, .ofStandardOutput()))
  }
}

/// What keeps a program awake, and its last wake and sleep.
struct WhyReport: Equatable {
  let name: String
  let state: String
  let leases: [LeaseReport]
  /// The lines that are held now.
  let lines: [LineReport]
  /// Its sessions of sound.
  let sessions: [SessionReport]
  /// The earliest of its own timers, while it sleeps.
  let ownTimer: OwnTimerReport?
  let wake: WakeReport?
  let sleep: SleepReport?
  let remarks: [String]

  init(status: [Message], why: [Message]) throws(WireError) {
    guard let program = status.first(where: { $0.itemKind == .program }) else {
      throw .missingField("kind=program")
    }
    name = try program.string(.name)
    state = try program.string(.state)
    leases = try why.read(.lease, LeaseReport.init)
    lines = try status.read(.line, LineReport.init)
    sessions = try why.read(.session, SessionReport.init)
    ownTimer = try why.read(.timer, OwnTimerReport.init).first
    wake = try why.read(.wake, WakeReport.init).first
    sleep = try why.read(.sleep, SleepReport.init).first
    remarks = try why.read(.remark) { (item) throws(WireError) in try item.string(.text) }
  }
}
