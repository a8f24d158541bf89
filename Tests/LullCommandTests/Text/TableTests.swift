import TestSupport
import Testing

@testable import lull_command

extension Table.Cell: ExpressibleByStringLiteral {
  init(stringLiteral value: String) { self.init(value) }
}

private func cells(_ columns: [Table.Column], _ rows: [Table.Cell]...) -> Table {
  let parts = columns.enumerated().map { place, column in
    Table.Part<[Table.Cell]>(column.title, column.place, aligned: column.alignment) { $0[place] }
  }
  return Table(rows, parts)
}

@Suite(.bounded) struct TableTests {
  @Test func `columns are as wide as their widest cell and lines have no blanks at their ends`() {
    let table = cells(
      [.init(title: "NAME"), .init(title: "LINES", alignment: .right), .init(title: "LAST")],
      ["phone", "3", "data"], ["a-long-name", "12", ""])
    #expect(
      table.text(.plain) == """
        NAME         LINES  LAST
        phone            3  data
        a-long-name     12  -

        """)
  }

  @Test func `a table that is too wide has short forms, then cut cells, then fewer columns`() {
    let table = cells(
      [
        .init(title: "NAME"), .init(title: "WHY", place: .cut(rank: 1, least: 6)),
        .init(title: "AGE", place: .rank(2)), .init(title: "EMPTY", place: .rank(1)),
      ],
      ["phone", "a long reason", .init("3 min 20 s", short: "3 min"), ""])
    func row(_ columns: Int) -> Substring? {
      table.text(Style(isColoured: false, columns: columns)).split(separator: "\n").last
    }
    #expect(row(39) == "phone  a long reason  3 min 20 s  -")
    #expect(row(38) == "phone  a long reason  3 min 20 s")
    #expect(row(31) == "phone  a long reason  3 min")
    #expect(row(26) == "phone  a long ...    3 min")
    #expect(row(20) == "phone  a ...   3 min")
    #expect(row(19) == "phone  a long ...")
    #expect(row(5) == "phone")
  }

  @Test func `a brief table has every short form`() {
    let table = cells(
      [.init(title: "AGE"), .init(title: "NAME")], [.init("3 min 20 s", short: "3 min"), "phone"])
    var style = Style.plain
    style.isBrief = true
    #expect(table.text(style) == "AGE    NAME\n3 min  phone\n")
  }

  @Test func `a table that is drawn anew does not get a column back with each change`() {
    var style = Style(isColoured: false, columns: 24)
    style.isBrief = true
    func heading(why: String, age: String, in memory: inout ColumnMemory?) -> Substring? {
      let table = cells(
        [
          .init(title: "NAME"), .init(title: "WHY", place: .cut(rank: 1, least: 6)),
          .init(title: "AGE", place: .rank(2)),
        ],
        ["phone", .init(why), .init(age)])
      return table.text(style, keeping: &memory).split(separator: "\n").first
    }
    var (drawn, written): (ColumnMemory?, ColumnMemory?) = (ColumnMemory(), nil)
    #expect(heading(why: "data", age: "3 s", in: &drawn) == "NAME   WHY   AGE")
    for (why, age) in [("a long reason", "12 min 3 s"), ("data", "3 s")] {
      #expect(heading(why: why, age: age, in: &drawn) == "NAME   WHY")
    }
    #expect(heading(why: "data", age: "3 s", in: &written) == "NAME   WHY   AGE")
  }

  @Test func `colour does not change the width`() {
    let table = cells(
      [.init(title: "A"), .init(title: "B")], [.init("x", .red), "y"], ["long", "z"])
    let text = table.text(Style(isColoured: true))
    #expect(text.contains("\u{1B}[31mx\u{1B}[0m     y\n"))
  }

  @Test func `a control character in a cell is written as an escape`() {
    let table = cells([.init(title: "TEXT")], [.init("a\u{1B}[2Jb\nc\u{202E}d")])
    #expect(table.text(.plain) == "TEXT\na\\u{1B}[2Jb\\u{A}c\\u{202E}d\n")
  }
}

@Suite(.bounded) struct StyleTests {
  @Test(
    arguments: [
      (true, nil, "xterm", true), (true, "", "xterm", true), (true, "1", "xterm", false),
      (true, nil, "dumb", false), (true, nil, nil, false), (false, nil, "xterm", false),
    ] as [(Bool, String?, String?, Bool)])
  func `colour needs a terminal that can do it and a reader who wants it`(
    isTerminal: Bool, noColour: String?, terminal: String?, isColoured: Bool
  ) {
    let style = Style(isTerminal: isTerminal, noColour: noColour, terminal: terminal)
    #expect(style.isColoured == isColoured)
  }

  @Test func `COLUMNS comes before the terminal, and 80 is usual`() {
    #expect(Style.columns(named: "120", terminal: 100) == 120)
    #expect(Style.columns(named: nil, terminal: 100) == 100)
    for nonsense in ["", "0", "-5", "wide"] { #expect(Style.columns(named: nonsense, terminal: nil) == 80) }
  }
}
