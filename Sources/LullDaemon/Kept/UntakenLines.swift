import LullWire

/// Lines that commands got back and did not take. `lull why` tells of them until the start that follows the
/// one without them.
struct UntakenLines {
  private struct Entry {
    let name: String
    let lines: String
    var hasStarted = false
  }

  private let capacity: Int
  private var entries: [Entry] = []

  /// The oldest of more than `capacity` programs is forgotten.
  init(capacity: Int) { self.capacity = capacity }

  mutating func add(_ name: String, _ lines: String) {
    entries.removeAll { $0.name == name }
    entries.append(Entry(name: name, lines: lines))
    if entries.count > capacity { entries.removeFirst() }
  }

  /// `withLines`: the program has got lines back.
  mutating func started(_ name: String, withLines: Bool) {
    guard let index = entries.firstIndex(where: { $0.name == name }) else { return }
    if withLines || entries[index].hasStarted {
      entries.remove(at: index)
    } else {
      entries[index].hasStarted = true
    }
  }

  func healthNote(on name: String) -> NoteItem? {
    guard let entry = entries.first(where: { $0.name == name }) else { return nil }
    return NoteItem(.withoutLines, cause: entry.hasStarted ? "started" : nil, detail: entry.lines)
  }
}
