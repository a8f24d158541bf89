import LullWire

/// The report of `lull why` on a program that does not run: its last end, and what comes next.
struct WhyEndedReport: Encodable, Equatable {
  let name: String
  let state = "notRunning"
  /// nil: it has not run, as far as is known.
  @OrNull var ended: EndedReport?
  /// nil: it is not installed.
  @OrNull var installed: InstalledReport?
  let remarks: [String]

  init(name: String, _ why: [Message]) throws(WireError) {
    self.name = name
    ended = try why.read(.ended, EndedReport.init).first
    installed = try why.read(.installed, InstalledReport.init).first
    remarks = try why.read(.remark) { (item) throws(WireError) in try item.string(.text) }
  }

  enum CodingKeys: String, CodingKey {
    case name, state, ended, installed, remarks
  }
}
