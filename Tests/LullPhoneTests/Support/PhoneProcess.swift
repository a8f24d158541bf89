import Glibc
import LullSystem
import TestSupport
import Testing

import enum LullSystem.ExitStatus

/// A program that a test started, in a process group of its own, which is killed at the end of the test.
final class PhoneProcess {
  private let child: Child
  private let output: Channel

  /// The phone itself, without a daemon unless there is one in that directory.
  convenience init(_ arguments: [String], runtimeDirectory: String? = nil) throws {
    try self.init(command: [Built.program("lull-phone")] + arguments, runtimeDirectory: runtimeDirectory)
  }

  /// Any program; its output is what it writes to standard output and standard error.
  init(command: [String], runtimeDirectory: String? = nil) throws {
    let (near, far) = try UnixSocket.pair()
    var request = SpawnRequest(command)
    if let runtimeDirectory { request.setEnvironment(["LULL_RUNTIME_DIR=\(runtimeDirectory)"]) }
    (request.standardOutput, request.standardError) = (far.raw, far.raw)
    request.group = .newGroup
    child = try Child(request)
    output = Channel(near, name: "the output of \(command[0])")
    far.close()
  }

  deinit { _ = kill(-child.pid, SIGKILL) }

  /// The next text line.
  func line() throws -> String { try output.line() }

  func lines(_ count: Int) throws -> [String] { try (0..<count).map { _ in try line() } }

  /// The next text line with this beginning; others are passed over.
  func line(startingWith start: String) throws -> String { try output.line { $0.hasPrefix(start) } }

  func send(_ signal: Int32) throws { try child.signal(signal) }

  func status() throws -> ExitStatus { try child.end() }

  var hasEnded: Bool {
    get throws { try Socket.poll(child.pidfd, .readable, timeoutMilliseconds: 0) != [] }
  }
}
