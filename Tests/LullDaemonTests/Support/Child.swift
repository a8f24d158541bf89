import LullSystem
import Testing

import enum LullSystem.ExitStatus

/// A process that the test started; killed and reaped at its end.
final class Child {
  let pid: Int32
  private let pidfd: DescriptorBox
  private var status: ExitStatus?

  init(_ request: SpawnRequest) throws {
    let spawned = try Process.spawn(request)
    pid = spawned.pid
    let (pidfd, execStatus) = spawned.boxes()
    self.pidfd = pidfd
    try wait(execStatus.raw, .readable, "the child neither ran nor failed")
    #expect(try Process.execResult(execStatus.raw) == .started, "\(request.arguments.first ?? [])")
  }

  func signal(_ number: Int32) throws { try Process.sendSignal(pidfd.raw, number) }

  var descriptor: Int32 { pidfd.raw }

  /// Waits for its end.
  @discardableResult
  func end() throws -> ExitStatus {
    if let status { return status }
    try wait(pidfd.raw, .readable, "the child \(pid) did not end")
    let ended = try #require(try Process.waitStatus(pidfd.raw))
    status = ended
    return ended
  }

  deinit {
    guard status == nil else { return }
    try? Process.sendSignal(pidfd.raw, Signal.kill)
    _ = try? Socket.poll(pidfd.raw, .readable, timeoutMilliseconds: patience)
    _ = try? Process.waitStatus(pidfd.raw)
  }
}
