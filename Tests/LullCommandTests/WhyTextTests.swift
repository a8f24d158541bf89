import LullWire
import Testing

@testable import lull_command

@Suite struct WhyTextTests {
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
        last woken 1.6 s ago by data that arrived, line 7, which had waited 31 us
        last fell asleep 3 min 20 s ago

        """)
  }

  @Test func `a sleep that failed and remarks are told`() throws {
    let text = try text(
      "suspended",
      ["item kind=sleep program=phone refused=not-idle", "item kind=remark program=phone text=\"a b\""])
    #expect(text == "phone is asleep\nlast attempt to sleep failed: not-idle\na b\n")
  }

  @Test func `an answer without the program is refused`() {
    #expect(throws: WireError.missingField("kind=program")) { try WhyReport(status: [], why: []) }
  }
}
