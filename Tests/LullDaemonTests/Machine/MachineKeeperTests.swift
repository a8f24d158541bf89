import LullSystem
import TestSupport
import Testing

@testable import LullDaemon

@Suite(.bounded) struct MachineKeeperTests {
  /// What was written last to a file of the kernel's wake locks.
  private func text(_ path: String) throws -> String {
    String(decoding: try Files.read(path, limit: 64), as: UTF8.self)
  }

  @Test func `the kernel's wake lock is held while the engine says so`() throws {
    let scratch = try TemporaryDirectory()
    let (lock, unlock) = ("\(scratch.path)/wake_lock", "\(scratch.path)/wake_unlock")
    for path in [lock, unlock] { try Files.overwrite(path, with: []) }
    let kernels = WakeLock(folder: scratch.path)
    let keeper = MachineKeeper(lock: kernels)
    #expect(keeper.order == .letGo)
    #expect(try text(unlock) == "lull")
    #expect(try text(lock) == "")
    #expect(keeper.update(true) { false } == nil)
    #expect(try text(lock) == "lull")
    try Files.replace(unlock, with: [])
    #expect(keeper.order == .letGo)
  }

  @Test func `the kernel's wake lock is let go of before the machine sleeps, and held after it`() throws {
    let scratch = try TemporaryDirectory()
    let (lock, unlock) = ("\(scratch.path)/wake_lock", "\(scratch.path)/wake_unlock")
    for path in [lock, unlock] { try Files.overwrite(path, with: []) }
    let keeper = MachineKeeper(lock: WakeLock(folder: scratch.path))
    #expect(keeper.update(true) { false } == nil)
    for path in [lock, unlock] { try truncate(path) }
    keeper.sleep(true)
    #expect(keeper.update(true) { true } == nil)
    #expect(try text(unlock) == "")
    #expect(keeper.update(true) { false } == .letGo)
    #expect(try text(unlock) == "lull" && text(lock) == "")
    keeper.sleep(false)
    #expect(keeper.update(true) { false } == nil)
    #expect(try text(lock) == "lull")
  }

  /// Empties a file that is open elsewhere.
  private func truncate(_ path: String) throws {
    let file = try Files.openForAppending(path)
    try Files.truncate(file.raw)
  }

  @Test func `without wake locks lull-notify is told, once for each change`() throws {
    let scratch = try TemporaryDirectory()
    let keeper = MachineKeeper(lock: WakeLock(folder: scratch.path))
    #expect(keeper.update(false) { false } == nil)
    #expect(keeper.update(true) { false } == .hold)
    #expect(keeper.update(true) { false } == nil)
    #expect(keeper.order == .hold)
    #expect(keeper.update(false) { false } == .letGo)
    #expect(keeper.order == .letGo)
  }

  @Test func `a machine that is about to sleep waits until the programs have been told`() {
    let keeper = MachineKeeper(lock: nil)
    #expect(keeper.update(true) { false } == .hold)
    keeper.sleep(true)
    #expect(keeper.update(true) { true } == nil)
    #expect(keeper.update(false) { true } == nil)
    #expect(keeper.update(false) { false } == .letGo)
    #expect(keeper.update(true) { false } == nil, "logind refuses inhibitors until the machine goes on")
    keeper.sleep(false)
    #expect(keeper.update(true) { false } == .hold)
  }
}
