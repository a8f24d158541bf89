import LullWire
import TestSupport
import Testing

@testable import lull_command

@Suite(.bounded) struct UsageTextTests {
  private func item(_ fields: String) throws -> ProgramItem {
    try ProgramItem(
      Message.parse(
        "item kind=program name=a state=suspended modes=voip pids=1 cgroup=/a asleepSeconds=1 awakeSeconds=1 "
          + "wakes=1 \(fields)"))
  }

  @Test func `memory that was given back is told with what there was before`() throws {
    let item = try item("resident=7130317 residentBefore=109051904 residentAfter=6291456")
    let memory = try #require(MemoryReport(item))
    #expect(UsageText.memory(memory) == "6.8 MiB (was 104 MiB)")
    #expect(memory.isCompacted)
  }

  @Test func `memory that stays is told as it is`() throws {
    let memory = try #require(try MemoryReport(item("resident=109051904 noCompact")))
    #expect(UsageText.memory(memory) == "104 MiB")
    #expect(!memory.isCompacted)
  }

  @Test func `the processor time of the last wake stands beside that of all`() throws {
    let first = try #require(try ProcessorReport(item("processorSeconds=1.504")))
    #expect(UsageText.processor(first) == "1.5 s")
    let second = try #require(try ProcessorReport(item("processorSeconds=12.04 wakeProcessorSeconds=0.01")))
    #expect(UsageText.processor(second) == "12.04 s (0.01 s at its last wake)")
    let none = try #require(try ProcessorReport(item("processorSeconds=2.001 wakeProcessorSeconds=0")))
    #expect(UsageText.processor(none) == "2 s (0 s at its last wake)")
  }

  @Test func `a daemon that does not know says nothing`() throws {
    let item = try item("")
    #expect(MemoryReport(item) == nil && ProcessorReport(item) == nil)
  }
}
