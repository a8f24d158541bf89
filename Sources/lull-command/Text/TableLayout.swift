struct TableLayout {
  struct Shown {
    let column: Int
    var width: Int
    var isShort: Bool

    func text(of cell: Table.Cell) -> String {
      let text = isShort ? cell.short : cell.text
      guard text.count > width else { return text }
      return width > 3 ? Self.cut(text, to: width - 3) + "..." : String(text.prefix(width))
    }

    /// The beginning of a text that is longer: whole words, unless one of them is most of it.
    private static func cut(_ text: String, to count: Int) -> Substring {
      let beginning = text.prefix(count)
      guard !" ,:".contains(text[beginning.endIndex]) else { return beginning }
      let words = beginning.lastIndex(of: " ").map { text[...$0] } ?? ""
      return 2 * words.count < count ? beginning : words
    }
  }

  fileprivate struct Widths {
    let full: Int
    /// With the short form of every cell.
    let short: Int
    /// Before columns that matter less are left out: with cells that are cut, where they are cut first.
    let early: Int
    /// With cells that are cut.
    let least: Int
    let isEmpty: Bool

    func orWider(_ other: Widths) -> Widths {
      Widths(
        full: max(full, other.full), short: max(short, other.short), early: max(early, other.early),
        least: max(least, other.least), isEmpty: isEmpty && other.isEmpty)
    }
  }

  private static let gap = 2

  private(set) var shown: [Shown] = []

  /// `room` is the number of characters in a line; nil: as many as are needed.
  init(
    _ columns: [Table.Column], rows: [[Table.Cell]], room: Int?, isBrief: Bool,
    keeping memory: inout ColumnMemory?
  ) {
    let now = columns.indices.map { Self.widths(columns[$0], at: $0, rows: rows, isBrief: isBrief) }
    let widths = columns.indices.map { memory?.widest(now[$0], of: columns[$0].title) ?? now[$0] }
    shown = columns.indices.map { Shown(column: $0, width: widths[$0].full, isShort: isBrief) }
    guard let room else { return }
    while total > room, let place = worst(columns, widths), widths[shown[place].column].isEmpty {
      shown.remove(at: place)
    }
    guard total > room else { return }
    for place in shown.indices {
      let width = widths[shown[place].column]
      shown[place].width = width.early
      shown[place].isShort = isBrief || width.short < width.full
    }
    while total > room, let place = worst(columns, widths) {
      if let narrower = narrower(than: place, columns, widths) {
        shown[narrower].width = widths[shown[narrower].column].least
      } else {
        shown.remove(at: place)
      }
    }
    spread(room, columns, widths: widths, isBrief: isBrief)
  }

  private var total: Int { shown.reduce(-Self.gap) { $0 + $1.width + Self.gap } }

  /// The column to be left out next: an empty one first, then the one of the highest rank.
  private func worst(_ columns: [Table.Column], _ widths: [Widths]) -> Int? {
    let candidates = shown.indices.filter { columns[shown[$0].column].rank != nil }
    return candidates.max { left, right in
      let (left, right) = (shown[left].column, shown[right].column)
      let (first, second) = (widths[left].isEmpty, widths[right].isEmpty)
      return first == second ? columns[left].rank ?? 0 < columns[right].rank ?? 0 : second
    }
  }

  /// The column to be cut before the one at `place` is left out: that one, or any other where its cells are
  /// cut anyhow.
  private func narrower(than place: Int, _ columns: [Table.Column], _ widths: [Widths]) -> Int? {
    func canBeCut(_ place: Int) -> Bool { widths[shown[place].column].least < shown[place].width }
    if canBeCut(place) { return place }
    guard case .cut = columns[shown[place].column].place else { return nil }
    return shown.indices.first(where: canBeCut)
  }

  /// Gives the room that is left to the columns that matter most: first for what is cut, then for full forms.
  private mutating func spread(
    _ room: Int, _ columns: [Table.Column], widths: [Widths], isBrief: Bool
  ) {
    let order = shown.indices.sorted {
      columns[shown[$0].column].rank ?? -1 < columns[shown[$1].column].rank ?? -1
    }
    for place in order {
      shown[place].width += min(
        max(0, room - total), widths[shown[place].column].short - shown[place].width)
    }
    for place in order {
      let full = widths[shown[place].column].full
      guard full - shown[place].width <= room - total else { continue }
      (shown[place].width, shown[place].isShort) = (full, isBrief)
    }
  }

  private static func widths(
    _ column: Table.Column, at index: Int, rows: [[Table.Cell]], isBrief: Bool
  ) -> Widths {
    var (full, short, isEmpty) = (column.title.count, column.title.count, true)
    for row in rows {
      full = max(full, row[index].text.count)
      short = max(short, row[index].short.count)
      if row[index].text != "-" { isEmpty = false }
    }
    short = min(short, full)
    var (early, least) = (short, short)
    switch column.place {
    case .fixed, .rank: break
    case .cut(_, let characters, let first):
      least = min(short, max(characters, column.title.count))
      early = min(short, max(least, first ?? least))
    case .cutLast(_, let characters): least = min(short, max(characters, column.title.count))
    }
    return Widths(
      full: isBrief ? short : full, short: short, early: early, least: least, isEmpty: isEmpty)
  }
}

/// The widths of the columns of a table that is drawn anew. A column does not become narrower again, or each
/// wake would let others come and go.
struct ColumnMemory {
  private var known: [String: TableLayout.Widths] = [:]

  init() {}

  fileprivate mutating func widest(_ widths: TableLayout.Widths, of title: String) -> TableLayout.Widths {
    let widest = known[title].map(widths.orWider) ?? widths
    known[title] = widest
    return widest
  }
}

extension Table.Column {
  /// The place in the order in which columns are left out; nil: never.
  var rank: Int? {
    switch place {
    case .fixed: nil
    case .rank(let rank), .cut(let rank, _, _), .cutLast(let rank, _): rank
    }
  }
}
