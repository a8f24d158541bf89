import LullWire
import Testing

@testable import lull_command

@Suite struct RunOptionsTests {
  @Test func `modes are words with commas between them`() throws {
    #expect(try RunOptions.modes(nil) == [])
    #expect(try RunOptions.modes("voip,audio,voip") == [.voip, .audio])
    #expect(throws: Failure.self) { try RunOptions.modes("voip,") }
    #expect(throws: Failure.self) { try RunOptions.modes("VoIP") }
  }

  @Test(arguments: [599.999, 0, -600, .nan, .infinity])
  func `a keep-alive below 600 s or without end is refused`(seconds: Double) {
    #expect(throws: Failure.self) { try RunOptions.keepAlive(seconds) }
  }

  @Test func `a keep-alive is sent in nanoseconds`() throws {
    #expect(try RunOptions.keepAlive(600) == 600_000_000_000)
    #expect(try RunOptions.keepAlive(nil) == nil)
  }

  @Test func `wakes are batched over a time that is more than 0 s`() throws {
    #expect(try RunOptions.batchWakes(0.5) == 500_000_000)
    #expect(throws: Failure.self) { try RunOptions.batchWakes(0) }
    #expect(throws: Failure.self) { try RunOptions.batchWakes(1e300) }
  }
}

@Suite struct CommandBlockTests {
  @Test func `the arguments come first, each string ended by NUL`() {
    let block = CommandBlock(arguments: [[0x61], []], environment: [[0xFF]])
    #expect(block.bytes == [0x61, 0, 0, 0xFF, 0])
    #expect(block.arguments == 2)
  }
}
