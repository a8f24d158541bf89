/// A sorted list of lines, searched by halves: a program may have thousands.
struct SortedLines: Sendable {
  private let lines: [LineID]

  init(_ lines: [LineID] = []) { self.lines = lines.sorted() }

  func contains(_ line: LineID) -> Bool {
    let index = lines.firstPlace { $0 >= line }
    return index < lines.count && lines[index] == line
  }
}

extension Array {
  /// The first place at which `holds` is true, in an array in which it stays true from some place on; else
  /// the end.
  package func firstPlace(where holds: (Element) -> Bool) -> Int {
    var (low, high) = (0, count)
    while low < high {
      let middle = (low + high) / 2
      if holds(self[middle]) { high = middle } else { low = middle + 1 }
    }
    return low
  }
}
