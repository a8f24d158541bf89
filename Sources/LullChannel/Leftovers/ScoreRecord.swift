package import LullModel
internal import LullSystem

/// A process whose `oom_score_adj` was raised while it sleeps.
package struct ScoreRecord: Hashable, Sendable {
  package let process: ProcessIdentity
  package let old: Int, raised: Int

  package init(process: ProcessIdentity, old: Int, raised: Int) {
    (self.process, self.old, self.raised) = (process, old, raised)
  }

  init?(_ text: Substring) {
    let numbers = text.split(separator: " ")
    guard numbers.count == 4, let pid = Int32(numbers[0]), pid > 1, let start = UInt64(numbers[1]),
      let old = Int(numbers[2]), let raised = Int(numbers[3]), OOMScore.range.contains(old),
      OOMScore.range.contains(raised),
      old < raised
    else { return nil }
    self.init(process: ProcessIdentity(pid: pid, start: start), old: old, raised: raised)
  }

  var line: String { "score \(process.pid) \(process.start) \(old) \(raised)\n" }

  static func last(of records: [ScoreRecord]) -> [ProcessIdentity: ScoreRecord] {
    Dictionary(records.map { ($0.process, $0) }) { $1 }
  }

  /// Puts back what the last record of each process says, unless the value was changed since. The
  /// corresponding C function is `write` of `/proc/PID/oom_score_adj`.
  static func putBack(_ records: [ScoreRecord]) {
    for record in last(of: records).values where record.process.exists {
      _ = try? OOMScore.change(of: record.process.pid) { $0 == record.raised ? record.old : nil }
    }
  }
}
