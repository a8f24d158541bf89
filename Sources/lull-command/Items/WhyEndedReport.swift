import LullWire

/// The report of `lull why` on a program that does not run: its last end, and what comes next.
struct WhyEndedReport: Encodable, Equatable {
  let name: String
  /// `unmanaged` for one that runs on, and that the daemon does not manage.
  private(set) var state = "notRunning"
  /// nil: it has not run, as far as is known.
  @OrNull var ended: EndedItem?
  /// nil: it is not installed.
  @OrNull var installed: InstalledReport?
  private(set) var remarks: [String]

  /// True when the daemon's answer is about a program that does not run.
  static func isOne(_ why: [Message]) -> Bool {
    why.contains { [.ended, .installed].contains($0.itemKind) }
  }

  mutating func noteMistakes(_ mistakes: [String]) {
    let isTold = installed?.state == .mistake || installed?.state == .failed
    installed?.mistake = mistakes.joined(separator: "\n")
    guard !mistakes.isEmpty, !isTold else { return }
    let told = "its file has a mistake, and it cannot be started before that is mended: "
    remarks = (installed?.state == .ended ? [] : remarks) + [told + mistakes[0]] + mistakes.dropFirst()
  }

  init(name: String, _ why: [Message]) throws(WireError) {
    self.name = name
    ended = try why.records(EndedItem.self).first
    installed = try why.records(InstalledItem.self).first.map { InstalledReport($0) }
    remarks = try why.records(RemarkItem.self).map(\.text)
    if ended == nil, installed == nil, !remarks.isEmpty { state = "unmanaged" }
  }

  enum CodingKeys: String, CodingKey {
    case name, state, ended, installed, remarks
  }
}
