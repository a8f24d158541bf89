import Fuzzing
import LullModel
import TestSupport
import Testing

@testable import LullWire

@Suite(.bounded) struct LedgerLineTests {
  private static let end = EndEntry(
    name: "phone", at: 1_700_000_000_000_000_001, process: ProcessIdentity(pid: 7, start: 8),
    status: .signaled(11), reason: OpenWord(.crashed), schemes: ["sip", "tel"], hasLeft: true)
  private static let program = ProgramEntry(
    name: "phone", process: ProcessIdentity(pid: .max, start: .max), suspension: .signal,
    cgroup: "/a b/\"c\"",
    command: CommandEntry(
      run: #"run name=phone text="a \"b\"""#, words: "sh -c 'a=\"b\"'\n\u{e9}", isFreezeExempt: true,
      startedAt: 1, keepAliveRanAt: 2, fetchedAt: 3, ending: .taskLimit, endWord: OpenWord("newer"),
      askedToEndAt: .max,
      speaks: true),
    exit: end, progress: .trying, deaths: 3)

  /// Each property has another value than that of a blank record: what is forgotten is not read back.
  private static let full: [LedgerRecord] = [
    .began(isAfterFault: true, isService: true, boots: false), .booted, .finished, .program(program),
    .progress(name: "phone", .tried), .exited(end), .ended(end),
    .installed(
      InstalledEntry(
        name: "phone", state: .quit, cause: .keepalive, restarts: 9, cameAt: 1, keepAlive: .seconds(600),
        lastRun: 2, since: 3, fetch: .seconds(900), stretch: 4, fetchedAt: 5)),
    .uninstalled(name: "phone"),
    .notification(
      NotificationEntry(
        id: NotificationID(7), program: "phone",
        content: LocalNotification(
          body: "New\nVOIP call", title: "t", action: "Answer", sound: .file("/a b.ogg"), isCall: true),
        isScheduled: true, date: .seconds(1_700_000_000), due: 5, repeats: .every(.seconds(60)),
        zone: "Europe/Berlin", first: .seconds(1_600_000_000))),
    .withdrawn(NotificationID(9), isScheduled: true), .quiet(true),
    .recording(RecordingEntry("phone", .allowed)),
  ]

  private func read(_ record: LedgerRecord) throws -> LedgerRecord {
    var bytes: [UInt8] = []
    record.message().encodeTruncating(into: &bytes, maximumLine: Limits.maximumGuardLine)
    #expect(bytes.last == UInt8(ascii: "\n") && bytes.count { $0 == UInt8(ascii: "\n") } == 1)
    let line = bytes.dropLast()
    return try LedgerRecord.parse(try Message.parse(line.span, maximumLine: Limits.maximumGuardLine))
  }

  @Test func `a question keeps both of its buttons`() throws {
    var content = LocalNotification(body: "records", action: "Deny")
    content.otherAction = "Allow"
    let entry = NotificationEntry(
      id: NotificationID(7), program: "phone", content: content, isScheduled: false)
    #expect(try read(.notification(entry)) == .notification(entry))
  }

  @Test func `what is written of each record is read back`() throws {
    #expect(Self.full.map(\.verb) == LedgerVerb.allCases)
    for record in Self.full { #expect(try read(record) == record) }
    var library = Self.program
    (library.command, library.exit, library.progress, library.deaths) = (nil, nil, nil, 0)
    #expect(try read(.program(library)) == .program(library))
    for verb in LedgerVerb.allCases { #expect(LedgerRecord.blank(verb).verb == verb) }
  }

  @Test(arguments: LedgerVerb.allCases)
  func `what is written of a random record is read back`(verb: LedgerVerb) throws {
    let seed = SplitMix64.seed(for: "ledger \(verb.rawValue)")
    var random = RandomFields(generator: SplitMix64(seed: seed)), count = 0
    for _ in 0..<500 {
      guard let record = try? LedgerRecord.blank(verb).visited(by: &random) else { continue }
      count += 1
      try #require(try read(record) == record)
    }
    #expect(count >= 50)
  }

  @Test(arguments: [
    "", "heard", "program name=a", "program name=a pid=1 start=1 managed=other suspender=cgroup",
    "program name=a pid=1 start=1 managed=command suspender=cgroup", "progress name=a state=done",
    "exited name=a", "exited name=\"a/b\" at=1", "installed name=a state=starting", "withdrawn",
  ])
  func `a line that says too little, or nothing known, is none`(line: String) {
    #expect(throws: WireError.self) { try LedgerRecord.parse(try Message.parse(Array(line.utf8)[...])) }
  }
}
