import LullWire
import TestSupport
import Testing

@testable import lull_command

@Suite(.bounded) struct WakesTextTests {
  private func report(_ items: String...) throws -> WakesReport {
    WakesReport(name: "phone", try items.map { try EntryItem(Message.parse("item kind=entry \($0)")) })
  }

  @Test func `wakes are summed up by reason and sender, the most frequent first`() throws {
    let report = try report(
      "at=1 program=phone what=registered", "at=2 program=phone what=woke cause=keepalive",
      "at=3 program=phone what=woke cause=data peer=10.0.0.7:5090 waitedMicroseconds=150 earlier",
      "at=4 program=phone what=frozen",
      "at=5 program=phone what=woke cause=data peer=10.0.0.7:5090 waitedMicroseconds=31",
      "at=6 program=phone what=woke cause=data detail=\"unix /run/x\"")
    #expect(report.count == 4 && report.since == 1)
    #expect(report.wakes.map(\.reason) == ["data", "data", "keepalive"])
    #expect(report.wakes.map(\.by) == ["10.0.0.7:5090", "unix /run/x", nil])
    #expect(report.wakes.map(\.count) == [2, 1, 1])
    #expect(report.wakes.map(\.last) == [5, 6, 2])
    #expect(report.wakes.map(\.longestWaitMicroseconds) == [150, nil, nil])
  }

  @Test func `a program without a wake has a sentence`() throws {
    #expect(try WakesText.text(report(), .plain) == "The journal has no wake of phone.\n")
  }

  @Test func `the table fits 80 columns`() throws {
    let report = try report(
      "at=1767348672 program=phone what=woke cause=accessory waitedMicroseconds=99999999"
        + " detail=\"tcp [2001:db8:1111:2222:3333:4444:5555:6666]:50600 from nowhere\" count=2048",
      "at=1767348672 program=phone what=woke cause=notification count=2048")
    let text = WakesText.text(report, Style(isColoured: false, columns: 80))
    #expect(text.split(separator: "\n").allSatisfy { $0.count <= 80 }, "\(text)")
    #expect(text.contains("tcp [2001:db8:1111:2222:...") && text.contains("50 %"), "\(text)")
    #expect(text.hasPrefix("REASON        BY "), "\(text)")
    #expect(WakesText.text(report, .plain).contains("6666]:50600 from nowhere  "), "cut without a screen")
  }
}
