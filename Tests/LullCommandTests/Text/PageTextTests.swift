import LullSystem
import LullWire
import TestSupport
import Testing

@testable import lull_command

@Suite(.bounded) struct PageTextTests {
  private func page(_ why: [String] = []) throws -> ProgramPage {
    let report = try Samples.report()
    let phone = report.programs[1]
    return ProgramPage(
      program: phone, why: try WhyReport(phone, why: Samples.messages(why)), remarks: ["the disk is full"])
  }

  private func moment(_ seconds: Double) -> String {
    String(LocalTime(unix: seconds).description.prefix { $0 != "." })
  }

  @Test func `a program has a page with what is known of it`() throws {
    var page = try page(["item kind=wake program=phone reason=data line=7 agoSeconds=125"])
    page.command = ["lull-phone", "a b"]
    let wakes = [
      "item kind=entry at=1767348672 program=phone what=woke cause=keepalive count=2",
      "item kind=entry at=1767348673 program=phone what=woke cause=data line=7 peer=10.0.0.7:5090",
    ]
    page.wakes = try wakes.map { try EntryItem(Message.parse($0)) }
    page.log = ["one", "two\u{1B}[2J"]
    #expect(
      PageText.text(page, .plain) == """
        Note: the disk is full
        phone is asleep
        woken 2 min 5 s ago by data on line 7 (tcp 127.0.0.1:50000)
          state       suspended
          pid         100, 101
          command     lull-phone 'a b'
          modes       voip, audio
          asleep      3 min 20 s (95 %), woken 3 times
          keep-alive  10 min, due in 4 min 3 s
          lines       7: tcp 127.0.0.1:50000 with 127.0.0.1:10000
          wakes       \(moment(1_767_348_673))  data on line 7 from 10.0.0.7:5090
                      \(moment(1_767_348_672))  keepalive, 2 times
          log         one
                      two\\u{1B}[2J

        """)
  }

  @Test func `the page fits a screen`() throws {
    var page = try page()
    page.command = Array(repeating: "a-word", count: 40)
    page.since = 1_767_348_672
    page.log = [String(repeating: "words ", count: 30)]
    let style = Style(isColoured: true, columns: 80, proseColumns: 80)
    let plain = PageText.text(page, style).replacing(/\u{1B}\[[0-9;]*m/, with: "")
    #expect(plain.split(separator: "\n").allSatisfy { $0.count <= 80 }, "\(plain)")
  }
}
