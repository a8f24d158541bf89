import LullEngine
import LullWire

/// The remarks on programs in `lull status` and `lull why` besides their state: one for each cause, as
/// long as the cause lasts.
final class Remarks {
  /// In the order in which they are told.
  enum Cause: Int, CaseIterable {
    case thaw, suspension, trial, sound, offload, keptLines
  }

  private var remarks = AppTable<[RemarkItem?]>()

  /// Nil ends the remark.
  func set(_ cause: Cause, of id: AppID, _ remark: RemarkItem?) {
    guard remark != nil || remarks[id] != nil else { return }
    var program = remarks[id] ?? Array(repeating: nil, count: Cause.allCases.count)
    program[cause.rawValue] = remark
    remarks[id] = program.allSatisfy { $0 == nil } ? nil : program
  }

  func items(of id: AppID) -> [RemarkItem] { (remarks[id] ?? []).compactMap(\.self) }

  func forget(_ id: AppID) { remarks[id] = nil }
}
