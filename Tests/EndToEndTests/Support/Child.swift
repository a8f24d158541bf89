import LullSystem
import Testing

import enum LullSystem.ExitStatus

/// A process that a test started; killed and reaped at the end.
final class Child {
  let pid: Int32
  let pidfd: DescriptorBox
  /// Its standard output, and its standard input unless that was given.
  let output: Channel
  let errors: Channel
  private var status: ExitStatus?

  init(
    _ arguments: [String], environment: [String] = [], input: Int32? = nil,
    passed: [SpawnRequest.Passed] = [], group: SpawnRequest.Group = .newGroup
  ) throws {
    let (output, outputEnd) = try UnixSocket.pair()
    let (errors, errorsEnd) = try UnixSocket.pair()
    var request = SpawnRequest(arguments)
    let names = environment.map { $0.utf8.prefix { $0 != UInt8(ascii: "=") } + [UInt8(ascii: "=")] }
    request.environment.removeAll { entry in names.contains { entry.starts(with: $0) } }
    request.environment += environment.map { Array($0.utf8) }
    request.standardInput = input ?? outputEnd.raw
    request.standardOutput = outputEnd.raw
    request.standardError = errorsEnd.raw
    request.passed = passed
    request.group = group
    let spawned = try Process.spawn(request)
    pid = spawned.pid
    let (pidfd, execStatus) = spawned.boxes()
    self.pidfd = pidfd
    outputEnd.close()
    errorsEnd.close()
    self.output = Channel(output, name: "the output of \(arguments[0])")
    self.errors = Channel(errors, name: "the errors of \(arguments[0])")
    try Deadline().wait(execStatus.raw, .readable, for: "the start of \(arguments[0])")
    if case .failed(let error) = try Process.execResult(execStatus.raw) { throw error }
  }

  deinit {
    guard status == nil else { return }
    try? Process.sendSignal(pidfd.raw, Signal.kill)
    _ = try? Socket.poll(pidfd.raw, .readable, timeoutMilliseconds: patience)
    _ = try? Process.waitStatus(pidfd.raw)
  }

  func signal(_ number: Int32) throws { try Process.sendSignal(pidfd.raw, number) }

  /// Waits for its end.
  @discardableResult
  func waitForEnd() throws -> ExitStatus {
    if let status { return status }
    try Deadline().wait(pidfd.raw, .readable, for: "the end of process \(pid)")
    let ended = try #require(try Process.waitStatus(pidfd.raw))
    status = ended
    return ended
  }

  var isAlive: Bool {
    get throws { try Socket.poll(pidfd.raw, .readable, timeoutMilliseconds: 0).isEmpty }
  }
}
