import LullWire
import TestSupport
import Testing

@testable import lull_command

@Suite(.bounded) struct StatusReportTests {
  @Test func `the JSON has the promised keys, null where something is absent`() throws {
    let text = try JSONOutput.text(Samples.report(), .line)
    let daemon =
      #"{"daemon":{"cgroupRoot":null,"clockRate":1,"guard":null,"locked":false,"pid":42,"quiet":false,"#
      + #""restarts":0,"since":null,"startedBy":null,"suspender":"cgroup","version":"0.1.0","#
      + #""watchdogSeconds":null},"#
    let phone =
      #"{"asleepSeconds":200.5,"awakeSeconds":10,"cgroup":"/lull/phone","#
      + #""keepAlive":{"dueInSeconds":243,"runs":2,"timeoutSeconds":600},"#
      + #""lastWake":{"agoSeconds":125,"line":7,"peer":null,"reason":"data","#
      + #""waitedMicroseconds":31},"leases":[],"#
      + #""lines":[{"disregarded":false,"id":7,"kept":false,"kind":"tcp","local":"127.0.0.1:50000","#
      + #""peer":"127.0.0.1:10000","program":"phone","unread":0}],"managed":"library","#
      + #""modes":["voip","audio"],"#
      + #""name":"phone","overBudget":false,"ownTimer":null,"#
      + #""pids":[100,101],"purgeable":false,"purges":null,"refused":null,"sessions":[],"#
      + #""silenceSeconds":2.5,"#
      + #""state":"suspended","wakes":3}"#
    let clock =
      #"{"asleepSeconds":0,"awakeSeconds":2,"cgroup":"","keepAlive":null,"lastWake":null,"#
      + #""leases":[{"endsInSeconds":8.4,"kind":"wake","task":null},"#
      + #"{"endsInSeconds":null,"kind":"task","task":"upload"}],"#
      + #""lines":[],"managed":null,"modes":[],"name":"clock","overBudget":true,"ownTimer":null,"pids":[],"#
      + #""purgeable":false,"purges":null,"refused":null,"sessions":[],"#
      + #""silenceSeconds":null,"state":"background","wakes":16}"#
    let programs = #""device":null,"programs":["# + clock + "," + phone + "]"
    #expect(text == daemon + programs + #","remarks":[]}"# + "\n")
  }

  @Test func `a wake without a line has a null line`() throws {
    let wake = try WakeItem(Message.parse("item kind=wake program=a reason=operator agoSeconds=1"))
    #expect(
      try JSONOutput.text(wake, .line)
        == #"{"agoSeconds":1,"line":null,"peer":null,"reason":"operator","#
        + #""waitedMicroseconds":null}"# + "\n")
  }

  @Test func `what an unmodified program has more is in the JSON`() throws {
    let line = try LineItem(
      Message.parse(
        "item kind=line program=a id=2 line=udp local=127.0.0.1:5060 peer=\"\" unread=12 pid=4710 fd=9"
          + " disregarded"))
    #expect(
      try JSONOutput.text(line, .line)
        == #"{"disregarded":true,"fd":9,"id":2,"kept":false,"kind":"udp","local":"127.0.0.1:5060","peer":"","#
        + #""pid":4710,"program":"a","unread":12}"# + "\n")
    let wake = try WakeItem(
      Message.parse(
        "item kind=wake program=a reason=data line=2 peer=10.0.0.7:5090"
          + " agoSeconds=1"))
    #expect(
      try JSONOutput.text(wake, .line)
        == #"{"agoSeconds":1,"line":2,"peer":"10.0.0.7:5090","#
        + #""reason":"data","waitedMicroseconds":null}"# + "\n")
    let sleep = "item kind=sleep program=prog refused=unread detail=\"line 3\""
    let report = try Samples.report([Samples.daemon, Samples.program(state: "background"), sleep])
    #expect(
      try JSONOutput.text(report.programs[0].refused, .line) == #"{"detail":"line 3","reason":"unread"}"#
        + "\n")
  }

  @Test func `an own timer is in the JSON`() throws {
    for (floor, text) in [(" floorSeconds=600", "600"), ("", "null")] {
      let timer = "item kind=timer program=prog dueInSeconds=-40.5\(floor)"
      let report = try Samples.report([Samples.daemon, Samples.program(state: "suspended"), timer])
      #expect(
        try JSONOutput.text(report.programs[0].ownTimer, .line)
          == #"{"dueInSeconds":-40.5,"floorSeconds":\#(text),"hidden":false,"lookInSeconds":null}"# + "\n")
    }
  }

  @Test func `items that a newer daemon adds are passed over`() throws {
    let more = Samples.status + ["item kind=weather program=phone sky=clear"]
    #expect(try Samples.report(more) == Samples.report())
  }

  @Test func `an answer without a daemon or with a broken field is refused`() throws {
    #expect(throws: WireError.missingField("kind=daemon")) { try Samples.report(["ok count=0"]) }
    #expect(throws: WireError.self) {
      try Samples.report([Samples.daemon, "item kind=program name=a state=active modes=voip pids=x"])
    }
  }
}
