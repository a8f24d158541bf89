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

@Suite(.bounded) struct DurationTextTests {
  @Test(arguments: [
    (-3.0, "0 s"), (0, "0 s"), (0.000031, "31 us"), (0.0125, "12 ms"), (0.9999, "999 ms"),
    (1, "1 s"), (4.25, "4.2 s"), (9.99, "9.9 s"), (10, "10 s"), (59.9, "59 s"),
    (60, "1 min"), (200, "3 min 20 s"), (3599, "59 min 59 s"), (3600, "1 h"), (7500, "2 h 5 min"),
    (86_399, "23 h 59 min"), (86_400, "1 d"), (273_600, "3 d 4 h"), (1e300, "more than 68 years"),
    (.infinity, "more than 68 years"), (.nan, "0 s"),
  ])
  func `a duration is told in its two largest units`(seconds: Double, text: String) {
    #expect(DurationText.text(seconds: seconds) == text)
  }

  @Test func `microseconds are told like seconds`() {
    #expect(DurationText.text(microseconds: 31) == "31 us")
    #expect(DurationText.text(microseconds: 12_500_000) == "12 s")
  }
}

@Suite(.bounded) struct ProseTests {
  @Test func `lines are broken at blanks and go on indented`() {
    #expect(Prose.wrapped("one two three four\n", columns: 13) == "one two three\n  four\n")
    #expect(Prose.wrapped("  one two three", columns: 9) == "  one two\n    three")
    #expect(Prose.wrapped("yes  name  a b c", columns: 12, hanging: 5) == "yes  name  a\n     b c")
  }

  @Test func `what fits is left as it is, and so is everything without a width`() {
    for text in ["", "\n", "one\n\ntwo\n", "  a  b\n"] { #expect(Prose.wrapped(text, columns: 20) == text) }
    #expect(Prose.wrapped("one two", columns: nil) == "one two")
  }

  @Test func `a word that is longer than the line stays whole`() {
    #expect(Prose.wrapped("a /very/long/path b", columns: 8) == "a\n  /very/long/path\n  b")
  }

  @Test func `colour has no width`() {
    let bold = "\u{1B}[1mphone\u{1B}[0m is asleep"
    #expect(Prose.wrapped(bold, columns: 15) == bold)
    #expect(Prose.wrapped(bold, columns: 14) == "\u{1B}[1mphone\u{1B}[0m is\n  asleep")
  }
}

/// The line of `lull daemon upgrade`.
@Suite(.bounded) struct DaemonUpgradeTests {
  private func text(_ count: Int, lost: [String] = []) -> String {
    DaemonUpgrade.text(
      DaemonItem { ($0.version, $0.pid) = ("1.2", 7) }, DaemonItem { ($0.version, $0.pid) = ("1.3", 9) },
      count: count, lost: lost)
  }

  @Test func `both daemons are named, and the programs are counted`() {
    #expect(text(51) == "lulld 1.2 (pid 7) → 1.3 (pid 9); 51 programs, 0 lost\n")
    #expect(text(1) == "lulld 1.2 (pid 7) → 1.3 (pid 9); 1 program, 0 lost\n")
  }

  @Test func `programs that have not come back are named`() {
    #expect(text(3, lost: ["phone", "mail"]).hasSuffix("; 3 programs, 2 lost: phone mail\n"))
  }
}

@Suite(.bounded) struct ReportTests {
  @Test func `every word for a refusal has a sentence of its own`() {
    let sentences = FreezeRefusal.allCases.map { RefusalText.lines(.init(reason: OpenWord($0)))[0] }
    #expect(Set(sentences).count == FreezeRefusal.allCases.count)
    for (word, sentence) in zip(FreezeRefusal.allCases, sentences) {
      #expect(sentence != "could not sleep: \(word.rawValue)")
    }
  }

  @Test func `an answer without what it is about, or with a broken field, is refused`() {
    #expect(throws: WireError.missingField("kind=program")) { try WhyReport(status: [], why: []) }
    #expect(throws: WireError.missingField("kind=daemon")) { try Samples.report(["ok count=0"]) }
    #expect(throws: WireError.self) {
      try Samples.report([Samples.daemon, "item kind=program name=a state=active modes=voip pids=x"])
    }
  }
}

@Suite(.bounded) struct SoundRouteTests {
  @Test(arguments: [
    ("pulse:haedset", "did you mean \"pulse:Headset\"? "), ("headset", "did you mean \"pulse:Headset\"? "),
    ("hw:usb", "did you mean \"hw:CARD=USB\"? "), ("nosuch", ""), (":", ""),
  ])
  func `a device that there is not leads to the nearest one, and to those that there are`(
    typed: String, meant: String
  ) {
    let names = ["default", "hw:CARD=USB", "pulse:Headset"]
    #expect(
      SoundRouteCommand.others(than: typed, among: names)
        == "\(meant)there are default, hw:CARD=USB, pulse:Headset")
    #expect(SoundRouteCommand.others(than: typed, among: []) == "there is none")
  }
}
