import LullSystem
import LullWire
import TestSupport
import Testing

import enum LullSystem.ExitStatus

@testable import LullDaemon

@Suite(.bounded) struct EndedProgramsTests {
  private func ended(
    _ name: String, _ status: ExitStatus = .exited(0), at moment: Int64 = 0, reason: String? = nil,
    schemes: [String] = []
  ) -> EndedProgram {
    EndedProgram(name: name, at: moment, end: .exited(status), reason: reason, schemes: schemes)
  }

  @Test func `the last 64 ends are kept, the last one first`() {
    let programs = EndedPrograms()
    for number in 0...64 { programs.add(ended("p\(number)")) }
    let names = programs.items(of: nil).map { $0[.name] }
    #expect(names.count == 64)
    #expect(names.first == "p64")
    #expect(names.last == "p1")
  }

  @Test func `an end tells its moment, how it was, and why`() {
    let programs = EndedPrograms()
    programs.add(ended("a", .signaled(9), at: 1_500_000_000, reason: "task-limit", schemes: ["sip"]))
    programs.add(ended("b", .unknown))
    programs.add(EndedProgram(name: "a", at: 2_000_000_000, end: .left(nil)))
    let lines = programs.items(of: "a").map { String(decoding: (try? $0.encoded()) ?? [], as: UTF8.self) }
    #expect(
      lines == [
        "item kind=ended name=a at=2 left\n",
        "item kind=ended name=a at=1.5 signal=9 reason=task-limit\n",
      ])
  }

  @Test func `the next daemon knows the ends`() throws {
    let folder = try TemporaryDirectory()
    let journal = Journal()
    let first = EndedPrograms(directory: folder.path, journal)
    let all = [
      ended("a", .signaled(9), at: 1_767_348_672_345_678_000, reason: "crashed", schemes: ["sip", "tel"]),
      ended("b", .exited(3), at: 1_500_000_000, reason: "exited"),
      EndedProgram(name: "c", at: 2_000_000_000, end: .left(nil)), ended("d", .unknown),
    ]
    for program in all { first.add(program) }
    first.finish()
    let second = EndedPrograms(directory: folder.path, journal)
    #expect(second.items(of: nil) == first.items(of: nil))
    #expect(second.items(of: nil).count == 4)
    #expect(second.names(taking: "tel") == ["a"])
    #expect(second.deadline == nil)
  }

  @Test func `a program that has left has ended when its process ends, under the next daemon too`() throws {
    let folder = try TemporaryDirectory()
    let journal = Journal()
    let child = try Child(SpawnRequest(["sleep", "60"]))
    let first = EndedPrograms(directory: folder.path, journal)
    let process = try ProcessIdentity.current(child.pid)
    first.add(EndedProgram(name: "a", at: 2_000_000_000, end: .left(process)))
    first.finish()
    let second = EndedPrograms(directory: folder.path, journal)
    for ends in [first, second] { #expect(ends.items(of: "a").map { $0[.left] } == ["true"]) }
    try child.signal(Signal.kill)
    #expect(try child.end() == .signaled(Signal.kill))
    let third = EndedPrograms(directory: folder.path, journal)
    for ends in [first, second, third] {
      #expect(ends.items(of: "a").map { $0[.left] } == [nil])
    }
  }

  @Test func `what is no end is passed over`() {
    let lines = [
      "item kind=ended name=a at=1 status=0", "garbage \u{1}", "item kind=program name=b at=1",
      "item kind=ended name=../c at=1", "item kind=ended name=d", "item kind=ended name=e at=1e300",
      "item kind=ended name=f at=2 left",
    ]
    let read = EndedPrograms.read(Array(lines.joined(separator: "\n").utf8))
    #expect(read.map(\.name) == ["a", "f"])
  }

  @Test(arguments: [
    (ExitStatus.exited(0), EndReason?.some(.exited)), (.exited(1), .crashed), (.exited(143), .exited),
    (.exited(137), .crashed),
    (.signaled(Signal.terminate), .terminated),
    (.signaled(Signal.interrupt), .terminated), (.signaled(1), .terminated), (.signaled(3), .terminated),
    (.signaled(Signal.kill), .crashed), (.signaled(11), .crashed), (.unknown, nil),
  ])
  func `a signal that asks to end is no crash`(status: ExitStatus, reason: EndReason?) {
    #expect(EndReason(status) == reason)
  }
}
