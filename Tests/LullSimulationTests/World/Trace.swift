import LullEngine

/// The last steps of a run, kept as values and put into words only when somebody wants them.
struct Trace {
  private struct Entry {
    let step: Int
    let now: Moment
    let input: Input
    let answer: Engine.Answer?
    let effects: [Effect]
  }

  private static let length = 40
  private var entries: [Entry] = []
  private var oldest = 0
  /// A hash of everything so far; only kept when asked for, because words cost more than steps.
  private(set) var hash: UInt64 = 0xcbf2_9ce4_8422_2325
  private let isHashed: Bool

  init(isHashed: Bool) { self.isHashed = isHashed }

  mutating func add(step: Int, now: Moment, _ input: Input, _ answer: Engine.Answer?, effects: [Effect]) {
    let entry = Entry(step: step, now: now, input: input, answer: answer, effects: effects)
    if isHashed { mix(words(entry)) }
    if entries.count < Self.length {
      entries.append(entry)
    } else {
      entries[oldest] = entry
      oldest = (oldest + 1) % Self.length
    }
  }

  private mutating func mix(_ text: String) {
    for byte in text.utf8 { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01b3 }
  }

  /// The last inputs, answers and effects, oldest first.
  var text: String {
    (entries[oldest...] + entries[..<oldest]).map(words).joined(separator: "\n")
  }

  private func words(_ entry: Entry) -> String {
    let answer = entry.answer.map { " = \($0)" } ?? ""
    let head = "\(entry.step) at \(entry.now.nanoseconds): \(entry.input)\(answer)"
    return entry.effects.reduce(head) { "\($0)\n    -> \($1)" }.replacing("LullEngine.", with: "")
      .replacing("LullModel.", with: "")
  }
}
