import LullSystem
import LullWire
import TestSupport
import Testing

@testable import lull_command

@Suite(.bounded) struct WhyTextTests {
  private func text(_ state: String, _ why: [String]) throws -> String {
    let program =
      "item kind=program name=phone state=\(state) modes=voip pids=1 cgroup=/a asleepSeconds=0"
      + " awakeSeconds=1 wakes=0"
    let report = try WhyReport(
      status: Samples.messages([Samples.daemon, program]), why: Samples.messages(why))
    return WhyText.text(report, .plain)
  }

  @Test func `what keeps a program awake is told in sentences`() throws {
    let text = try text(
      "background",
      [
        "item kind=lease program=phone lease=wake endsInSeconds=8.4",
        "item kind=lease program=phone lease=task task=upload",
        "item kind=wake program=phone reason=data line=7 waitedMicroseconds=31 agoSeconds=1.6",
        "item kind=sleep program=phone agoSeconds=200",
      ])
    #expect(
      text == """
        phone is in the background and awake
          it handles what woke it, for 8.4 s at most
          its background task "upload" runs
        woken 1.6 s ago by data on line 7, which had waited 31 us
        last fell asleep 3 min 20 s ago

        """)
  }

  @Test(arguments: [
    ("cause=data detail=server", "for data on line server"), ("cause=boot", "when lulld was started"),
    ("cause=tea", "(tea)"),
  ])
  func `the reason of its launch is told`(fields: String, words: String) throws {
    let entry = "item kind=entry at=1767348672.345 program=phone what=launched \(fields)"
    let moment = "\(LocalTime(unix: 1_767_348_672))".prefix { $0 != "." }
    let told = try text("active", [entry])
    #expect(told == "phone is in the foreground\nlaunched \(words) at \(moment)\n")
  }

  @Test func `a refusal comes after the leases, with what stood in the way and what to do`() throws {
    let text = try text(
      "background",
      [
        "item kind=lease program=phone lease=wake endsInSeconds=58",
        "item kind=wake program=phone reason=closed line=2 peer=10.0.0.7:5090 agoSeconds=2",
        "item kind=sleep program=phone refused=not-idle detail=\"thread 4711 of process 4710\"",
        "item kind=remark program=phone text=\"a b\"",
      ])
    #expect(
      text == """
        phone is in the background and awake
          it handles what woke it, for 58 s at most
        could not sleep: it was busy (thread 4711 of process 4710)
          it sleeps when all of its threads wait; one that never waits keeps it awake
        woken 2 s ago by a connection that its peer closed, line 2 to 10.0.0.7:5090
        a b

        """)
  }

  @Test(arguments: [
    ("not-idle", "it was busy"), ("unread", "it has not read what arrived"),
    ("unanswered", "it sent something and waits for the answer"),
    ("ticking", "it wakes itself all the time"),
    ("sound", "it plays or records sound"), ("too-many-lines", "it has more connections than are watched"),
    ("too-many-processes", "it has more processes than are looked at"),
    ("no-line", "it would never wake"), ("no-port", "a port of --wake-on is missing"),
    ("no-rights", "the daemon may not look into it"), ("timeout", "it did not stand still in time"),
    ("failed", "the attempt failed"), ("no-descriptor", "one of its descriptors could not be taken"),
    ("asking", "it waits for an answer of lulld"), ("query", "it has just sent a query over UDP"),
    ("answering", "something came that it has not answered"),
    ("eclipse", "eclipse"),
  ])
  func `every refusal has its sentence, with the daemon's detail`(word: String, sentence: String) throws {
    #expect(word == "eclipse" || FreezeRefusal(rawValue: word) != nil)
    let refusal = RefusalReport(reason: word, detail: "line 3, udp 127.0.0.1:5060, 120 bytes")
    let lines = RefusalText.lines(refusal)
    #expect(lines[0].hasPrefix("could not sleep: \(sentence)"))
    #expect(lines[0].hasSuffix(" (line 3, udp 127.0.0.1:5060, 120 bytes)"))
    #expect(lines.count <= 2)
    let bare = RefusalText.lines(RefusalReport(reason: word, detail: nil))
    #expect(!bare[0].hasSuffix(")"))
  }

  @Test func `a player is told when sound lets it sleep, and a phone when to open it`() {
    let refusal = RefusalReport(reason: "sound", detail: nil)
    #expect(RefusalText.lines(refusal, plays: true)[1].contains("silent where that is measured"))
    #expect(RefusalText.lines(refusal)[1].contains("for calls only"))
  }

  @Test func `what cannot be watched is named`() {
    let lines = RefusalText.lines(RefusalReport(reason: "unwatchable", detail: "a file lock (thread 7)"))
    #expect(
      lines == ["could not sleep: it waits for something that nobody can watch: a file lock (thread 7)"])
    #expect(
      RefusalText.lines(RefusalReport(reason: "unwatchable", detail: nil))
        == ["could not sleep: it waits for something that nobody can watch"])
  }

  @Test(arguments: [
    (
      "dueInSeconds=-40 floorSeconds=600",
      "its own timer has been due for 40 s; it runs at the next wake, in 9 min 20 s at the latest (--timers)"
    ),
    (
      "dueInSeconds=-700 floorSeconds=600",
      "its own timer has been due for 11 min 40 s; it runs at the next wake, in 0 s at the latest (--timers)"
    ),
    (
      "dueInSeconds=30 floorSeconds=600",
      "its own timer is due in 30 s; it runs at the next wake, in 10 min at the latest (--timers)"
    ),
    (
      "dueInSeconds=-40",
      "its own timer has been due for 40 s; it runs at the next wake (--timers never)"
    ),
  ])
  func `an own timer is told with when it runs`(fields: String, line: String) throws {
    let text = try text("suspended", ["item kind=timer program=phone \(fields)"])
    #expect(text == "phone is asleep\n\(line)\n")
  }

  @Test func `every word for a refusal has a sentence of its own`() {
    let sentences = FreezeRefusal.allCases.map { RefusalText.lines(.init(reason: $0.rawValue))[0] }
    #expect(Set(sentences).count == FreezeRefusal.allCases.count)
    for (word, sentence) in zip(FreezeRefusal.allCases, sentences) {
      #expect(sentence != "could not sleep: \(word.rawValue)")
    }
  }

  @Test(arguments: [
    ("reason=data line=7 peer=10.0.0.7:5090", "data on line 7 (tcp 127.0.0.1:50000) from 10.0.0.7:5090"),
    ("reason=data line=7", "data on line 7 (tcp 127.0.0.1:50000)"),
    ("reason=data", "data that arrived"),
    (
      "reason=closed line=7 peer=127.0.0.1:10000",
      "a connection that its peer closed, line 7 (tcp 127.0.0.1:50000) to 127.0.0.1:10000"
    ),
    ("reason=error line=8", "a connection that failed, line 8"),
    ("reason=accept line=4 peer=10.0.0.7:5090", "a connection from 10.0.0.7:5090 to line 4"),
    ("reason=accept", "a connection to accept"),
    (
      "reason=writable line=7 peer=127.0.0.1:10000",
      "a connection that was made or takes bytes again, line 7 (tcp 127.0.0.1:50000) to 127.0.0.1:10000"
    ),
    ("reason=child", "the end of one of its processes"),
    ("reason=keepalive", "its keep-alive"), ("reason=timer", "its own timer"),
    ("reason=comet line=1", "comet on line 1"),
  ])
  func `a wake is told with its line and its sender`(fields: String, cause: String) throws {
    let wake = try WakeItem(Message.parse("item kind=wake program=phone agoSeconds=3 \(fields)"))
    let lines = try Samples.report().programs[1].lines
    #expect(WakeText.text(wake, lines: lines) == "woken 3 s ago by \(cause)")
  }

  @Test func `the line of a sleeping program is described from the lines that are held`() throws {
    let report = try WhyReport(
      status: Samples.messages(Samples.status),
      why: Samples.messages(["item kind=wake program=phone reason=data line=7 agoSeconds=3"]))
    #expect(
      WhyText.text(report, .plain) == """
        phone is asleep
        woken 3 s ago by data on line 7 (tcp 127.0.0.1:50000)

        """)
  }

  @Test func `an answer without the program is refused`() {
    #expect(throws: WireError.missingField("kind=program")) { try WhyReport(status: [], why: []) }
  }
}
