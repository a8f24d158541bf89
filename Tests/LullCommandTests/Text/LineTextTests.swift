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
}
