import LullWire

/// A table for people: a heading, columns as wide as their widest cell, two spaces between them.
struct Table {
  enum Alignment { case left, right }

  struct Column {
    let title: String
    var alignment = Alignment.left
  }

  struct Cell: ExpressibleByStringLiteral, Equatable {
    let text: String
    let colour: Style.Colour?

    init(_ text: String, _ colour: Style.Colour? = nil) {
      self.text = Printable.text(text)
      self.colour = colour
    }

    init(stringLiteral value: String) { self.init(value) }
  }

  private let columns: [Column]
  private var rows: [[Cell]] = []

  init(_ columns: [Column]) { self.columns = columns }

  init(_ titles: String...) { self.init(titles.map { Column(title: $0) }) }

  /// Adds a row; an empty cell is shown as `-`.
  mutating func add(_ row: [Cell]) {
    precondition(row.count == columns.count, "a row has as many cells as the table has columns")
    rows.append(row.map { $0.text.isEmpty ? Cell("-") : $0 })
  }

  /// The table with a LF at the end of each line; no blanks at the ends of lines.
  func text(_ style: Style) -> String {
    let heading = columns.map { Cell($0.title, .bold) }
    return ([heading] + rows).map { line($0, style) + "\n" }.joined()
  }

  private var widths: [Int] {
    columns.indices.map { index in
      rows.reduce(columns[index].title.count) { max($0, $1[index].text.count) }
    }
  }

  private func line(_ row: [Cell], _ style: Style) -> String {
    let widths = widths
    let cells = row.indices.map { index in
      let padding = String(repeating: " ", count: widths[index] - row[index].text.count)
      let text = style.paint(row[index].text, row[index].colour)
      switch columns[index].alignment {
      case .right: return padding + text
      case .left: return index == row.count - 1 ? text : text + padding
      }
    }
    return cells.joined(separator: "  ")
  }
}
