import LullEngine

/// The remarks on programs in `lull status` and `lull why` besides their state: one sentence for each cause,
/// as long as the cause lasts.
final class Remarks {
  /// In the order in which they are told.
  enum Cause: Int, CaseIterable {
    case thaw, suspension, trial, sound, offload, guardianship, keptLines
  }

  private var texts = AppTable<[String?]>()

  /// A nil text ends the remark.
  func set(_ cause: Cause, of id: AppID, _ text: String?) {
    guard text != nil || texts[id] != nil else { return }
    var program = texts[id] ?? Array(repeating: nil, count: Cause.allCases.count)
    program[cause.rawValue] = text
    texts[id] = program.allSatisfy { $0 == nil } ? nil : program
  }

  func sentences(of id: AppID) -> [String] { (texts[id] ?? []).compactMap(\.self) }

  func forget(_ id: AppID) { texts[id] = nil }
}
