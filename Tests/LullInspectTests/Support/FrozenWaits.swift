import CLinux
import Glibc
import LullInspect
import LullSystem
import TestSupport
import Testing

/// In nanoseconds: on a loaded machine a thread stops, or is frozen again, when it gets a processor.
let patience: Int64 = 10_000_000_000

extension WaitingProgram {
  func frozenWaits() throws -> [ThreadState] {
    try group.freeze()
    return try waits()
  }

  func waits() throws -> [ThreadState] {
    var memory = WaitMemory()
    return try Process.waits(in: ThreadFiles(of: pid, patience: patience), memory: &memory)
  }

  func frozenWait() throws -> ThreadState {
    var memory = WaitMemory()
    return try frozenWait(&memory)
  }

  func frozenWait(_ memory: inout WaitMemory) throws -> ThreadState {
    try group.freeze()
    let states = try Process.waits(in: ThreadFiles(of: pid, patience: patience), memory: &memory)
    try #require(states.count == 1)
    return states[0]
  }

  func expectNothingInHand(_ thread: Int32) throws {
    #expect(try Tracer().inspect([thread], within: patience) == nil, "it has something in its hands")
  }
}

/// The four bytes of a futex in memory that a program shares with the test.
struct FutexWord: ~Copyable {
  private let file: Descriptor

  init() throws {
    file = Descriptor(owning: unsafe clinux_memfd("futex"))
    try #require(ftruncate(file.raw, 4096) == 0)
  }

  var raw: Int32 { file.raw }

  func set(_ value: UInt32) throws {
    var value = value
    try #require(unsafe pwrite(file.raw, &value, 4, 0) == 4)
  }
}
