import CLinux
import Glibc
import LullInspect
import LullSystem
import TestSupport
import Testing

extension WaitingProgram {
  func frozenWaits() throws -> [ThreadState] {
    try group.freeze()
    return try waits()
  }

  func waits() throws -> [ThreadState] {
    var memory = WaitMemory()
    return try Process.waits(in: ThreadFiles(of: pid), memory: &memory)
  }

  func frozenWait() throws -> ThreadState {
    var memory = WaitMemory()
    return try frozenWait(&memory)
  }

  func frozenWait(_ memory: inout WaitMemory) throws -> ThreadState {
    try group.freeze()
    let states = try Process.waits(in: ThreadFiles(of: pid), memory: &memory)
    try #require(states.count == 1)
    return states[0]
  }

  /// Inspects up to five times, because on a loaded machine the thread may not get a processor in time.
  func expectNothingInHand(_ thread: Int32) throws {
    let tracer = Tracer()
    let found = try (0..<5).contains { _ in try tracer.inspect([thread]) == nil }
    #expect(found, "it has something in its hands")
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
