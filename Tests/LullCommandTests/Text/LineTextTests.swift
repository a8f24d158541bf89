import LullWire
import TestSupport
import Testing

@testable import lull_command

@Suite(.bounded) struct LineTextTests {
  private func lines(_ kinds: [String]) throws -> [LineItem] {
    try kinds.map { kind in
      try LineItem(Message.parse("item kind=line program=a id=1 line=\(kind) local=\"\" peer=\"\""))
    }
  }

  private func set(_ connections: Int) throws -> LineItem {
    try lines(["set connections=\(connections) pid=4 fd=5"])[0]
  }

  @Test func `the kind of which there are most comes first`() throws {
    let kinds = ["udp", "tcp-listen"] + Array(repeating: "tcp", count: 1234)
    #expect(LineText.sum(try lines(kinds)) == "1,236 connections: 1,234 tcp, 1 tcp-listen, 1 udp")
  }

  @Test func `a set counts its connections`() throws {
    #expect(LineText.sum([try set(1_002_003)]) == "epoll 5: 1,002,003 connections")
    #expect(LineText.sum([try set(1)]) == "epoll 5: 1 connection")
    let both = try lines(["udp"]) + [set(70)]
    #expect(LineText.sum(both) == "71 connections: 1 udp, 70 in epoll 5")
  }

  @Test func `few lines are only counted in the status`() throws {
    #expect(LineText.cell([]) == "0")
    #expect(LineText.cell(try lines(Array(repeating: "tcp", count: 64))) == "64")
    #expect(LineText.cell(try lines(Array(repeating: "tcp", count: 65))) == "65 connections: 65 tcp")
    #expect(LineText.cell([try set(8)]) == "epoll 5: 8 connections")
  }

  @Test func `the connections of a set are in the JSON`() throws {
    #expect(try JSONOutput.text(set(8), .line).contains(#""connections":8"#))
    #expect(try !JSONOutput.text(lines(["tcp"])[0], .line).contains("connections"))
  }
}

/// Lines whose program has ended.
@Suite(.bounded) struct KeptLineTextTests {
  private func line() throws -> LineItem {
    try LineItem(
      Message.parse(
        "item kind=line program=phone id=1 line=tcp local=127.0.0.1:5 peer=127.0.0.1:6 unread=4 name=server"
          + " kept since=0"))
  }

  @Test func `a kept line says since when`() throws {
    let text = try LinesText.text([line()], Style(isColoured: false, columns: 120))
    #expect(text.contains("kept since "), "\(text)")
    #expect(
      try JSONOutput.text(line(), .line)
        == #"{"disregarded":false,"id":1,"kept":true,"kind":"tcp","local":"127.0.0.1:5","name":"server","#
        + #""peer":"127.0.0.1:6","program":"phone","since":0,"unread":4}"# + "\n")
  }

  @Test func `the status lists them below what has ended`() throws {
    #expect(EndedText.keptTable([], Style(isColoured: false, columns: 80)) == "")
    #expect(try EndedText.keptTable([line()], Style(isColoured: false, columns: 80)).hasPrefix("\nKEPT FOR"))
  }
}
