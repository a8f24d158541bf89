import LullWire

/// A table for people: a heading, columns as wide as their widest cell, two spaces between them. Where the
/// screen is narrower, cells are shortened and the columns that matter least are left out.
struct Table {
  enum Alignment { case left, right }

  /// What may happen to a column where the table is too wide.
  enum Place: Equatable {
    case fixed
    /// It is left out, before all columns with a lower number.
    case rank(Int)
    /// As `rank`, and its cells may be cut to so many characters before: to `first` as long as a column of a
    /// higher number can be left out.
    case cut(rank: Int, least: Int, first: Int? = nil)
    /// As `rank`, and its cells are whole as long as a column of a higher number can be left out.
    case cutLast(rank: Int, least: Int)
  }

  struct Column {
    let title: String
    var alignment = Alignment.left
    var place = Place.fixed
  }

  struct Cell {
    let text: String
    let short: String
    let colour: Style.Colour?

    init(_ text: String?, short: String? = nil, _ colour: Style.Colour? = nil) {
      self.text = Printable.text(text ?? "")
      self.short = short.map(Printable.text) ?? self.text
      self.colour = colour
    }
  }

  /// A column, and its cell for each row.
  struct Part<Row> {
    let column: Column
    let cell: (Row) -> Cell

    init(
      _ title: String, _ place: Place = .fixed, aligned alignment: Alignment = .left,
      cell: @escaping (Row) -> Cell
    ) { (column, self.cell) = (Column(title: title, alignment: alignment, place: place), cell) }
  }

  private let columns: [Column]
  private let rows: [[Cell]]

  init<Row>(_ rows: [Row], _ parts: [Part<Row>]) {
    columns = parts.map(\.column)
    self.rows = rows.map { row in
      parts.map { $0.cell(row) }.map { $0.text.isEmpty ? Cell("-") : $0 }
    }
  }

  func text(_ style: Style) -> String {
    var memory: ColumnMemory?
    return text(style, keeping: &memory)
  }

  /// `memory` has what the columns of a table that is drawn anew were before.
  func text(_ style: Style, keeping memory: inout ColumnMemory?) -> String {
    let layout = TableLayout(
      columns, rows: rows, room: style.columns, isBrief: style.isBrief, keeping: &memory)
    var text = line(columns.map { Cell($0.title, .bold) }, in: layout, style)
    for row in rows { text += line(row, in: layout, style) }
    return text
  }

  private func line(_ row: [Cell], in layout: TableLayout, _ style: Style) -> String {
    var line = ""
    for (place, shown) in layout.shown.enumerated() {
      let cell = row[shown.column]
      let text = shown.text(of: cell)
      let padding = text.padding(to: shown.width)
      if place > 0 { line += "  " }
      if columns[shown.column].alignment == .right { line += padding }
      line += style.paint(text, cell.colour)
      let isLast = place == layout.shown.count - 1
      if columns[shown.column].alignment == .left, !isLast { line += padding }
    }
    return line + "\n"
  }
}

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
      shown[place].width += min(max(0, room - total), widths[shown[place].column].short - shown[place].width)
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
    return Widths(full: isBrief ? short : full, short: short, early: early, least: least, isEmpty: isEmpty)
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
