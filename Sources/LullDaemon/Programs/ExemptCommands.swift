/// The words of commands that ended when they were frozen: they are frozen no more.
struct ExemptCommands {
  private var all: [String] = []

  mutating func add(_ words: String, atMost most: Int) {
    guard !holds(words) else { return }
    if all.count == most { all.removeFirst() }
    all.append(words)
  }

  func holds(_ words: String) -> Bool { all.contains(words) }
}
