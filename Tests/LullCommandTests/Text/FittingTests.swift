import ArgumentParser
import Glibc
import LullSystem
import LullWire
import TestSupport
import Testing

@testable import lull_command

/// Every text of the command line on 80 columns. A name or a word that is longer is not split.
@Suite(.bounded) struct FittingTests {
  private static let columns = 80
  private static let style = Style(isColoured: true, columns: columns, proseColumns: columns)
  private static let name = String(repeating: "n", count: 64)
  private static let peer = "[2001:db8:ffff:ffff:ffff:ffff:ffff:ffff]:65535"
  private static let sentence =
    "the thread 4194304 of process 4194303 waits for what nobody can tell from here, and has for long"

  private func expectFit(_ text: String, location: SourceLocation = #_sourceLocation) {
    let plain = text.replacing(/\u{1B}\[[0-9;]*m/, with: "")
    for line in plain.split(separator: "\n") {
      let isOneWord = line.drop { $0 == " " }.allSatisfy { $0 != " " }
      #expect(line.count <= Self.columns || isOneWord, "\(line)", sourceLocation: location)
    }
  }

  // MARK: Help

  private static func commands(below command: any ParsableCommand.Type) -> [any ParsableCommand.Type] {
    [command] + command.configuration.subcommands.flatMap { commands(below: $0) }
  }

  @Test func `every help fits`() {
    let all = Self.commands(below: LullCommand.self)
    #expect(all.count > 15)
    for command in all {
      expectFit(LullCommand.helpMessage(for: command, includeHidden: true, columns: Self.columns))
    }
  }

  @Test(arguments: ["lulld", "lull-guard", "lull-audio", "lull-phone", "lull-player"])
  func `the help of every other program fits`(program: String) throws {
    var request = SpawnRequest([try Built.program(program), "--help"])
    request.setEnvironment(["COLUMNS=\(Self.columns)"])
    expectFit(String(decoding: try output(of: request), as: UTF8.self))
  }

  // MARK: Messages

  @Test func `every failure fits`() {
    let texts = [Self.sentence, "\(Self.name): \(Self.sentence) (\(Self.peer))", Self.name]
    var failures: [Failure] = [
      .noDaemon, .connectionLost, .unreadable(.badValue(key: Self.name, value: Self.peer, expected: "it")),
      .noName(Self.peer), .noName(Self.sentence),
    ]
    failures += [ENOSPC, EBADF].map { .output(SystemError(code: $0, call: "write")) }
    for text in texts { failures += [.failed(text), .usage(text), .refused(.busy, text)] }
    for message in failures.compactMap(\.message) {
      expectFit(Output.complaint(message, columns: Self.columns))
    }
  }

  // MARK: Tables

  private static let items: [String] = [
    "item kind=daemon pid=4194303 version=0.1.0 clockRate=60 suspender=signal restarts=99",
    "item kind=note what=\"\(sentence)\"",
    "item kind=program name=\(name) state=background modes=voip pids=1 cgroup=/a asleepSeconds=100000"
      + " awakeSeconds=100000 wakes=1000000 overBudget managed=command",
    "item kind=program name=phone state=background modes=voip pids=1 cgroup=/a asleepSeconds=100000"
      + " awakeSeconds=100000 wakes=1000000 overBudget managed=command",
    "item kind=lease program=phone lease=task task=\"\(sentence)\" endsInSeconds=599",
    "item kind=sleep program=phone refused=too-many-processes detail=\"\(sentence)\" agoSeconds=100000",
    "item kind=wake program=phone reason=writable line=4294967295 peer=\(peer) waitedMicroseconds=99999999"
      + " agoSeconds=100000",
    "item kind=keepalive program=phone timeoutSeconds=100000 dueInSeconds=90000 runs=9",
    "item kind=timer program=phone dueInSeconds=-100000 floorSeconds=100000",
    "item kind=line program=\(name) id=4294967295 line=tcp-listen local=\(peer) peer=\(peer) unread=99999999"
      + " offload=line,crlf,udp-keepalive,stun answered=1000000 pid=4194303 fd=1048576 disregarded",
    "item kind=session program=phone session=4294967295 category=playAndRecord direction=capture rate=192000"
      + " channels=8 format=float state=running order=duck audible level=-120.5 queuedSeconds=100000"
      + " starved=100000 device=\(name) output=\(name)",
    "item kind=device state=none device=\(name)",
    "item kind=ended name=\(name) at=1767348672.345 signal=64", "item kind=ended name=phone at=0 left",
    "item kind=notification notification=4294967295 program=phone body=\"\(sentence)\" action=Answer"
      + " state=scheduled at=1767348672.345 repeat=100000 title=\"\(sentence)\"",
  ]

  @Test(arguments: [true, false]) func `every table fits`(isBrief: Bool) throws {
    let items = try Samples.messages(Self.items)
    var style = Self.style
    style.isBrief = isBrief
    var status = try StatusReport(items)
    let ended = try items.records(EndedItem.self)
    status.ended = ended
    expectFit(StatusText.text(status, style))
    for end in ended { expectFit(EndedText.text(end, style)) }
    let lines = try items.records(LineItem.self)
    expectFit(LinesText.text(lines, style))
    expectFit(LinesText.text(Array(repeating: lines[0], count: 65), style))
    expectFit(NotificationsText.text(try items.records(NotificationItem.self), style))
    expectFit(RouteText.text(try SoundReport(items), style))
    let wakes = try ["data peer=\(Self.peer)", "accessory"].map { (cause) throws(WireError) in
      try EntryItem(
        Message.parse(
          "item kind=entry at=1 program=p what=woke cause=\(cause) waitedMicroseconds=99999999 count=2048"))
    }
    for entries in [wakes, []] { expectFit(WakesText.text(WakesReport(name: Self.name, entries), style)) }
  }

  // MARK: Sentences

  @Test func `every answer to why fits`() throws {
    let items = try Samples.messages(Self.items.filter { !$0.contains("name=\(Self.name)") })
    expectFit(WhyText.text(try WhyReport(status: items, why: items), Self.style))
    for refusal in FreezeRefusal.allCases {
      let sleep = "item kind=sleep program=phone refused=\(refusal.rawValue) detail=\"\(Self.sentence)\""
      let why = try Samples.messages([sleep])
      expectFit(WhyText.text(try WhyReport(status: items, why: why), Self.style))
    }
  }

  @Test func `the page of a program fits`() throws {
    let report = try Samples.report()
    let phone = report.programs[1]
    var page = ProgramPage(program: phone, why: try WhyReport(phone, why: []), notes: [Self.sentence])
    page.command = Array(repeating: "a-word", count: 40)
    (page.since, page.log) = (1_767_348_672, [Self.sentence])
    expectFit(PageText.text(page, Self.style))
  }

  @Test func `what the doctor and the log tell fits`() throws {
    let check = CheckItem(name: "runtime-directory", .limited, Self.sentence, mend: Self.sentence)
    expectFit(DoctorText.text([check], Self.style))
    let entry = try EntryItem(
      Message.parse(
        "item kind=entry at=1 program=phone what=freeze-refused cause=unread detail=\"\(Self.sentence)\""))
    let text = LogText.text(entry, at: LocalTime(unix: 1), style: Self.style)
    expectFit(Prose.wrapped(text, columns: Self.columns))
  }
}
