import LullWire

/// A table for people: a heading, columns as wide as their widest cell, two spaces between them. Where the
/// screen is narrower, cells are shortened and the columns that matter least are left out.
struct Table {
  enum Alignment { case left, right }

  /// What may happen to a column where the table is too wide.
  enum Place: Equatable {
    /// It is always there, and whole.
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

  struct Cell: ExpressibleByStringLiteral, Equatable {
    let text: String
    /// What is shown where the text does not fit.
    let short: String
    let colour: Style.Colour?

    init(_ text: String, short: String? = nil, _ colour: Style.Colour? = nil) {
      self.text = Printable.text(text)
      self.short = short.map(Printable.text) ?? self.text
      self.colour = colour
    }

    init(stringLiteral value: String) { self.init(value) }
  }

  private let columns: [Column]
  private var rows: [[Cell]] = []

  init(_ columns: [Column]) { self.columns = columns }

  mutating func add(_ row: [Cell]) {
    precondition(row.count == columns.count, "a row has as many cells as the table has columns")
    rows.append(row.map { $0.text.isEmpty ? Cell("-") : $0 })
  }

  /// Each line has a LF at its end, and no blanks before it.
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
      let padding = String(repeating: " ", count: shown.width - text.count)
      if place > 0 { line += "  " }
      if columns[shown.column].alignment == .right { line += padding }
      line += style.paint(text, cell.colour)
      let isLast = place == layout.shown.count - 1
      if columns[shown.column].alignment == .left, !isLast { line += padding }
    }
    return line + "\n"
  }
}
