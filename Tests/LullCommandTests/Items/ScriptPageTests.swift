import Foundation
import LullWire
import TestSupport
import Testing

@testable import lull_command

/// The examples of docs/SCRIPTS.md are what the code writes.
@Suite(.bounded) struct ScriptPageTests {
  private static let wake =
    "item kind=wake program=baresip reason=data line=3 peer=192.0.2.1:5060 waitedMicroseconds=146"
    + " agoSeconds=2.3"
  private static let sleep = "item kind=sleep program=baresip agoSeconds=0.77"
  private static let launch = "item kind=entry at=1769853600 program=baresip what=launched cause=crash"
  private static let status = [
    "item kind=daemon pid=4700 version=0.1.0 clockRate=1 suspender=cgroup restarts=0",
    "item kind=device state=closed device=default",
    "item kind=ended name=nap at=1767348672.345 signal=15 reason=terminated",
    "item kind=program name=baresip state=suspended modes=voip pids=4710 cgroup=/lull/baresip"
      + " asleepSeconds=3600 awakeSeconds=60 wakes=2 managed=command processorSeconds=1.5"
      + " wakeProcessorSeconds=0.01 resident=7130317 residentBefore=109051904 residentAfter=6291456",
    "item kind=line program=baresip id=3 line=udp local=192.0.2.10:5060 peer=\"\" unread=0 pid=4710 fd=9",
    wake, sleep, "item kind=tally program=baresip what=wake reason=data peer=192.0.2.1 count=2",
  ]

  /// The lines below a command of the page, without their indent.
  private func example(_ command: String) throws -> String {
    let folder = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../../docs")
    let page = folder.appending(path: "SCRIPTS.md")
    let lines = try String(contentsOf: page, encoding: .utf8).components(separatedBy: "\n")
    let start = try #require(lines.firstIndex(of: "    $ \(command)"), "the page has no \(command)")
    let block = lines[(start + 1)...].prefix { $0.hasPrefix("    ") || $0.isEmpty }
    return block.map { String($0.dropFirst(4)) }.joined(separator: "\n") + "\n"
  }

  private func expect(_ command: String, _ text: String) throws {
    let example = try example(command)
    #expect(example.trimmingCharacters(in: .newlines) == text.trimmingCharacters(in: .newlines))
  }

  @Test func `status is as the page shows it`() throws {
    let items = try Samples.messages(Self.status)
    var report = try StatusReport(items)
    report.ended = try items.records(EndedItem.self)
    try expect("lull status --all --json", JSONOutput.text(report))
  }

  @Test func `why is as the page shows it`() throws {
    let report = try WhyReport(
      status: Samples.messages(Self.status), why: Samples.messages([Self.wake, Self.sleep, Self.launch]))
    try expect("lull why baresip --json", JSONOutput.text(report))
  }

  @Test func `what resumes the machine is as the page shows it`() throws {
    let ok = try Samples.messages(["ok on=yes name=baresip reason=keepalive dueInSeconds=243"])[0]
    try expect("lull why --machine --json", JSONOutput.text(ResumeReport(ok)))
  }

  @Test func `doctor is as the page shows it`() throws {
    let check = CheckItem(name: "cgroup-mount", .yes, "v2 at /sys/fs/cgroup")
    let lines = try JSONOutput.text([check, check]).split(separator: "\n").prefix(7)
    try expect("lull doctor --json | head -n 7", lines.joined(separator: "\n"))
  }
}
