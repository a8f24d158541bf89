import Fuzzing
import TestSupport
import Testing

@testable import LullWire

/// The description of a program that the guard keeps.
@Suite(.bounded) struct KeptProgramTests {
  @Test func `what is written of a program is read back`() throws {
    let seed = SplitMix64.seed(for: "kept programs")
    var random = RandomFields(generator: SplitMix64(seed: seed))
    var kinds: Set<Bool> = []
    for _ in 0..<500 {
      guard let kept = try? KeptProgram.blank.visited(by: &random) else { continue }
      let message = kept.adding(to: Message(.store))
      var bytes: [UInt8] = []
      message.encodeTruncating(into: &bytes, maximumLine: Limits.maximumGuardLine)
      let read = try Message.parse(bytes.span, maximumLine: Limits.maximumGuardLine)
      try #require(try KeptProgram(read) == kept, "LULL_SEED=\(seed)")
      kinds.insert(kept.command == nil)
    }
    #expect(kinds == [true, false])
  }

  @Test func `what is written of an installed program is read back`() throws {
    let seed = SplitMix64.seed(for: "kept installed")
    var random = RandomFields(generator: SplitMix64(seed: seed))
    var count = 0
    for _ in 0..<500 {
      guard let kept = try? KeptInstalled.blank.visited(by: &random) else { continue }
      let message = try Message.parse(kept.adding(to: Message(.keepInstalled)).encoded().dropLast())
      try #require(try KeptInstalled(message) == kept, "LULL_SEED=\(seed)")
      count += 1
    }
    #expect(count > 0)
  }

  @Test func `the request of a command is its line`() {
    let run = Request.Run(name: "phone", timers: .never)
    let kept = KeptCommand(run: run, words: "phone -v")
    #expect(kept.adding(to: Message(.store))[.run] == "run name=phone timers=never")
  }

  @Test(arguments: ["", "run nonsense \"", "register name=a modes=voip", "run timers=4"])
  func `a command without the line of its request is not read`(line: String) {
    let message = Message(.restore).adding(.name, "a").adding(.pid, 1).adding(.managed, "command")
      .adding(.suspender, "cgroup").adding(.text, "a")
    #expect(throws: WireError.self) { try KeptProgram(message) }
    #expect(throws: WireError.self) { try KeptProgram(message.adding(.run, line)) }
    #expect(throws: Never.self) { try KeptProgram(message.adding(.run, "run")) }
  }
}
