import LullGuard
import TestSupport
import Testing

@testable import LullDaemon

@Suite(.bounded) struct CommandsTests {
  @Test func `what ended when it was frozen is known again by its words, until others have come`() throws {
    let commands = try Commands(SharedServices(DaemonOptions()), maximumExempt: 64)
    commands.exempt("sleep 5")
    commands.exempt("sleep 5")
    #expect(commands.isExempt("sleep 5"))
    #expect(!commands.isExempt("sleep 6"))
    for number in 1..<64 { commands.exempt("command \(number)") }
    #expect(commands.isExempt("sleep 5"))
    commands.exempt("command 64")
    #expect(!commands.isExempt("sleep 5"))
    #expect(commands.isExempt("command 1"))
  }
}
