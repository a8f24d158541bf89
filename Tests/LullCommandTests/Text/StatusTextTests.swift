import LullWire
import TestSupport
import Testing

@testable import lull_command

@Suite(.bounded) struct StatusTextTests {
  @Test func `each program has its line, and what is absent is a dash`() throws {
    let lines = StatusText.text(try Samples.report(), .plain).split(separator: "\n").map(String.init)
    try #require(lines.count == 5)
    #expect(lines[0] == "lulld 0.1.0, pid 42, suspends with the cgroup freezer")
    let columns = lines[1...3].map { line in
      line.split(separator: "  ").map { $0.trimming(" ") }
    }
    #expect(
      columns[0] == [
        "NAME", "STATE", "AWAKE BECAUSE", "LAST WAKE", "ASLEEP", "LINES", "WAKES", "KEEP-ALIVE",
      ])
    #expect(
      columns[1] == [
        "clock", "background", "wake 8.4 s, task upload", "-", "-", "0", "16 (!)", "-",
      ])
    #expect(
      columns[2] == [
        "phone", "suspended", "-", "2 min 5 s ago: data on line 7 (waited 31 us)", "3 min 20 s (95 %)", "1",
        "3", "10 min, due in 4 min 3 s",
      ])
    #expect(
      lines[4] == "(!) Woken more often than 15 times within 5 min, by your commands too;"
        + " \"lull wakes NAME\" tells by what.")
    let usual = StatusText.text(
      try Samples.report([Samples.daemon, Samples.program(state: "active")]), .plain)
    #expect(!usual.contains("(!)"))
  }

  @Test func `SIGSTOP, a fast clock, restarts, quiet and the lock are told plainly`() throws {
    let daemon = "item kind=daemon pid=42 version=0.1.0 clockRate=60 suspender=signal restarts=2 quiet locked"
    let text = StatusText.text(try Samples.report([daemon]), .plain)
    #expect(
      text == """
        lulld 0.1.0, pid 42, restarts 2
        Programs are suspended with SIGSTOP: no cgroup can be written ("lull doctor").
        The clock runs 60 times as fast.
        It is quiet: notifications make no sound.
        The session is locked.
        No program runs under it.

        """)
  }

  @Test func `a program that could not sleep is awake because of that`() throws {
    let report = try Samples.report([
      Samples.daemon, Samples.program(state: "background"),
      "item kind=lease program=prog lease=wake endsInSeconds=8",
      "item kind=sleep program=prog refused=not-idle detail=\"thread 4711 of process 4710\"",
    ])
    #expect(StatusText.awakeBecause(report.programs[0]) == "wake 8 s, not-idle")
  }

  @Test func `the last wake tells who sent what arrived`() throws {
    let wake = try WakeItem(
      Message.parse(
        "item kind=wake program=a reason=data line=2 peer=10.0.0.7:5090 waitedMicroseconds=31 agoSeconds=3"))
    #expect(StatusText.lastWake(wake) == "3 s ago: data on line 2 from 10.0.0.7:5090 (waited 31 us)")
  }

  @Test func `an own timer has a column when a program has one`() throws {
    let timer = "item kind=timer program=phone dueInSeconds=-40.5 floorSeconds=600"
    let text = StatusText.text(try Samples.report(Samples.status + [timer]), .plain)
    let lines = text.split(separator: "\n").map(String.init)
    #expect(lines[1].hasSuffix("KEEP-ALIVE                OWN TIMER"))
    #expect(lines[3].hasSuffix("10 min, due in 4 min 3 s  late 40 s"))
    let soon = try TimerItem(Message.parse("item kind=timer program=a dueInSeconds=200"))
    #expect(OwnTimerText.cell(soon) == "in 3 min 20 s")
  }

  @Test func `what matters least is shortened and then left out where the screen is narrow`() throws {
    let wake =
      "item kind=wake program=phone reason=data line=7 peer=203.0.113.7:5090 waitedMicroseconds=31"
      + " agoSeconds=125"
    let report = try Samples.report(Samples.status + [wake])
    #expect(
      StatusText.text(report, Style(isColoured: false, columns: 80)) == """
        lulld 0.1.0, pid 42, suspends with the cgroup freezer
        NAME   STATE       AWAKE BECAUSE        LAST WAKE                         ASLEEP
        clock  background  wake 8 s, task ...   -                                 -
        phone  suspended   -                    2 min ago: data 203.0.113.7:5090  95 %

        """)
    let narrow = StatusText.text(report, Style(isColoured: false, columns: 40))
    #expect(narrow.split(separator: "\n").allSatisfy { $0.count <= 40 }, "\(narrow)")
    #expect(narrow.contains("\nphone  suspended "))
  }

  @Test func `on 80 columns a wake is whole, and no word of what keeps a program awake is cut`() throws {
    let program = Samples.program(state: "background").replacing("name=prog", with: "name=lull-player")
    let report = try Samples.report([
      Samples.daemon, program, "item kind=lease program=lull-player lease=audible",
      "item kind=lease program=lull-player lease=recording",
      "item kind=wake program=lull-player reason=accept line=7 peer=192.168.100.100:50000 agoSeconds=725",
    ])
    let text = StatusText.text(report, Style(isColoured: false, columns: 80))
    #expect(
      text.hasSuffix(
        "\nlull-player  background  audible, ...   12 min ago: accept 192.168.100.100:50000\n"),
      "\(text)")
  }

  @Test func `a name of 64 characters stays whole on 80 columns`() throws {
    let name = String(repeating: "n", count: 64)
    let program = Samples.program(state: "background").replacing("name=prog", with: "name=\(name)")
    let text = StatusText.text(
      try Samples.report([Samples.daemon, program]), Style(isColoured: false, columns: 80))
    #expect(text.hasSuffix("\n\(name)  background\n"))
  }

  @Test func `an end is told by one word and what belongs to it, in the table and alone`() throws {
    let ends = [
      "status=0 reason=exited": "ended (status 0)", "status=143 reason=terminated": "ended (status 143)",
      "signal=15 reason=terminated": "ended (SIGTERM)", "": "ended (status unknown)",
      "reason=quit": "quit",
      "status=3": "ended (status 3)", "status=3 reason=crashed": "failed (status 3)",
      "status=126 reason=not-started": "could not be started (status 126)",
      "signal=11 reason=crashed": "crashed (SIGSEGV)", "signal=9 reason=quit": "quit (SIGKILL)",
      "signal=15 reason=lines-untaken": "ended (did not take its lines)",
      "signal=9 reason=purged": "purged (memory was short)",
      "signal=9 reason=purged-by-operator": "purged (by hand)", "signal=9 reason=later": "later (SIGKILL)",
      "signal=9 reason=task-limit": "task-limit (killed: a background task was still open at its end)",
      "left": "left (goes on without Lull)",
    ]
    for (fields, words) in ends {
      let item = try Message.parse("item kind=ended name=call at=1767348672.345 \(fields)")
      let report = try EndedItem(item)
      #expect(EndedText.table([report], .plain).hasSuffix("  \(words)\n"))
      #expect(EndedText.text(report, .plain).hasPrefix("call: \(words) at "))
    }
  }

  @Test func `a program in the foreground is awake because of that`() throws {
    let program = "item kind=program name=a state=active modes=voip pids=1 cgroup=/a asleepSeconds=0"
    let report = try Samples.report([Samples.daemon, program + " awakeSeconds=1 wakes=0"])
    #expect(StatusText.awakeBecause(report.programs[0]) == "foreground")
  }
}

extension Substring {
  fileprivate func trimming(_ character: Character) -> String {
    var text = self
    while text.first == character { text.removeFirst() }
    while text.last == character { text.removeLast() }
    return String(text)
  }
}
