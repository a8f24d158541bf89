import LullWire

/// The report of `lull why`: a program's leases, and its last wake and sleep.
struct WhyReport: Equatable {
  let name: String
  let state: String
  let leases: [LeaseReport]
  /// The lines that are held now.
  let lines: [LineReport]
  /// The program's audio sessions.
  let sessions: [SessionReport]
  /// The earliest of the program's own timers, while it sleeps.
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
