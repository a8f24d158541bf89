import Glibc
package import LullSystem
import Testing

package import enum LullSystem.ExitStatus

/// A process that a test started; killed and reaped at its end.
package final class Child {
  package let pid: Int32
  private let descriptor: Descriptor
  private var status: ExitStatus?

  package init(_ request: SpawnRequest) throws {
    let spawned = try Process.spawn(request)
    pid = spawned.pid
    descriptor = spawned.pidfd
    try ready(spawned.execStatus.raw, .readable, "the child neither ran nor failed")
    if case .failed(let error) = try Process.execResult(spawned.execStatus.raw) { throw error }
  }

  /// A process in a cgroup, with some of its standard descriptors.
  package convenience init(
    _ arguments: [String], in cgroup: TestCgroup, input: Int32? = nil, output: Int32? = nil
  )
    throws
  {
    var request = SpawnRequest(arguments)
    request.cgroup = cgroup.cgroup.directory
    request.standardInput = input
    request.standardOutput = output
    try self.init(request)
  }

  deinit {
    guard status == nil else { return }
    try? Process.sendSignal(descriptor.raw, Signal.kill)
    _ = try? Socket.poll(descriptor.raw, .readable, timeoutMilliseconds: patience)
    _ = try? Process.waitStatus(descriptor.raw)
  }

  package var pidfd: Int32 { descriptor.raw }

  package func signal(_ number: Int32) throws { try Process.sendSignal(descriptor.raw, number) }

  /// Reads the kernel's state of the process again until it sleeps in a system call.
  package func awaitSleep() throws {
    try eventually("the process \(pid) did not fall asleep") {
      try String(decoding: Files.read("/proc/\(pid)/stat", limit: 4096), as: UTF8.self).contains(") S ")
    }
  }

  /// Waits for its end and takes its status.
  @discardableResult
  package func end() throws -> ExitStatus {
    if let status { return status }
    try ready(descriptor.raw, .readable, "the process \(pid) did not end")
    let ended = try #require(try Process.waitStatus(descriptor.raw))
    status = ended
    return ended
  }
}

/// Runs a program to its end and returns its output.
package func output(of request: SpawnRequest) throws -> [UInt8] {
  let (here, there) = try UnixSocket.pair()
  var request = request
  request.standardOutput = there.raw
  let program = try Child(request)
  there.close()
  let bytes = try readAll(here.raw)
  #expect(try program.end() == .exited(0))
  return bytes
}

/// Reaps a child as soon as it has ended, as `lull run` does. Zombies that nobody reaps keep the testing
/// library from hearing of the ends of its own children: it looks at the oldest one again and again.
package func reapAtEnd(_ pidfd: Int32) throws {
  let descriptor = try Descriptor.duplicating(pidfd).take()
  startThread {
    let own = Descriptor(owning: descriptor)
    _ = try? Socket.poll(own.raw, .readable, timeoutMilliseconds: -1)
    _ = try? Process.waitStatus(own.raw)
  }
}
