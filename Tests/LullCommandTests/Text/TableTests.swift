import TestSupport
import Testing

@testable import lull_command

@Suite(.bounded) struct TableTests {
  @Test func `columns are as wide as their widest cell and lines have no blanks at their ends`() {
    var table = Table([.init(title: "NAME"), .init(title: "LINES", alignment: .right), .init(title: "LAST")])
    table.add(["phone", "3", "data"])
    table.add(["a-long-name", "12", ""])
    #expect(
      table.text(.plain) == """
        NAME         LINES  LAST
        phone            3  data
        a-long-name     12  -

        """)
  }

  @Test func `colour does not change the width`() {
    var table = Table([.init(title: "A"), .init(title: "B")])
    table.add([.init("x", .red), "y"])
    table.add(["long", "z"])
    let text = table.text(Style(isColoured: true))
    #expect(text.contains("\u{1B}[31mx\u{1B}[0m     y\n"))
  }

  @Test func `a control character in a cell is written as an escape`() {
    var table = Table([.init(title: "TEXT")])
    table.add([.init("a\u{1B}[2Jb\nc\u{202E}d")])
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
}
