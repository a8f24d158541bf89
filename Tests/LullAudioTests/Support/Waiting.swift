import LullSystem
import Testing

import enum LullSystem.ExitStatus

/// The bound of every wait: long enough for a loaded machine, and never reached when all do their part.
let patience: Int32 = 20_000

/// Waits for an event on a descriptor; records an issue when none comes.
func wait(_ raw: Int32, _ interest: Interest, _ comment: Comment) throws {
  let found = try Socket.poll(raw, interest, timeoutMilliseconds: patience)
  try #require(!found.isEmpty, comment)
}

/// Looks again and again, a millisecond apart in a poll of nothing, until something is so.
func until(_ comment: Comment, _ isSo: () throws -> Bool) throws {
  let end = Clock.boottime() + Int64(patience) * 1_000_000
  var nothing: [PollEntry] = []
  while try !isSo() {
    try #require(Clock.boottime() < end, comment)
    try Socket.pollMany(&nothing, timeoutMilliseconds: 1)
  }
}

/// A process that the test started; killed and reaped at its end.
final class Child {
  let pid: Int32
  let pidfd: DescriptorBox
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
    try? Process.sendSignal(pidfd.raw, LullSystem.Signal.kill)
    _ = try? Socket.poll(pidfd.raw, .readable, timeoutMilliseconds: patience)
    _ = try? Process.waitStatus(pidfd.raw)
  }
}
