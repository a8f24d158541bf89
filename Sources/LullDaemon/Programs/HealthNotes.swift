import LullEngine
import LullWire

/// The notes on programs in `lull status` and `lull why` besides their state: one for each cause, as
/// long as the cause lasts.
final class HealthNotes {
  /// In the order in which they are told.
  enum Cause: Int, CaseIterable {
    case thaw, suspension, trial, sound, offload, probe, keptLines
  }

  private var notes = AppTable<[NoteItem?]>()

  /// Nil ends the note.
  func set(_ cause: Cause, of id: AppID, _ note: NoteItem?) {
    guard note != nil || notes[id] != nil else { return }
    var program = notes[id] ?? Array(repeating: nil, count: Cause.allCases.count)
    program[cause.rawValue] = note
    notes[id] = program.allSatisfy { $0 == nil } ? nil : program
  }

  func items(of id: AppID) -> [NoteItem] { (notes[id] ?? []).compactMap(\.self) }

  func forget(_ id: AppID) { notes[id] = nil }
}
