import TestSupport
import Testing

@testable import lull_command

/// The line of `lull daemon upgrade`.
@Suite(.bounded) struct DaemonUpgradeTests {
  private func text(_ count: Int, lost: [String] = []) -> String {
    DaemonUpgrade.text(
      .init(version: "1.2", pid: 7), .init(version: "1.3", pid: 9), count: count, lost: lost)
  }

  @Test func `both daemons are named, and the programs are counted`() {
    #expect(text(51) == "lulld 1.2 (pid 7) → 1.3 (pid 9); 51 programs, 0 lost\n")
    #expect(text(1) == "lulld 1.2 (pid 7) → 1.3 (pid 9); 1 program, 0 lost\n")
  }

  @Test func `programs that have not come back are named`() {
    #expect(text(3, lost: ["phone", "mail"]).hasSuffix("; 3 programs, 2 lost: phone mail\n"))
  }
}
