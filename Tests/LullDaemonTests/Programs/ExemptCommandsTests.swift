import TestSupport
import Testing

@testable import LullDaemon

@Suite(.bounded) struct ExemptCommandsTests {
  @Test func `what ended when it was frozen is known again by its words, until others have come`() {
    var commands = ExemptCommands()
    commands.add("sleep 5", atMost: 64)
    commands.add("sleep 5", atMost: 64)
    #expect(commands.holds("sleep 5"))
    #expect(!commands.holds("sleep 6"))
    for number in 1..<64 { commands.add("command \(number)", atMost: 64) }
    #expect(commands.holds("sleep 5"))
    commands.add("command 64", atMost: 64)
    #expect(!commands.holds("sleep 5"))
    #expect(commands.holds("command 1"))
  }
}
