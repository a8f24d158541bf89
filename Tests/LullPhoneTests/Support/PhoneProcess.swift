import Glibc
import LullSystem
import TestSupport
import Testing

import enum LullSystem.ExitStatus

/// A program that a test started, in a process group of its own, which is killed at the end of the test.
final class PhoneProcess {
  private let pid: Int32
  private let pidfd: DescriptorBox
  private let output: DescriptorBox
  private var text: [UInt8] = []

  /// The phone itself, without a daemon unless there is one in that directory.
  convenience init(_ arguments: [String], runtimeDirectory: String? = nil) throws {
    try self.init(command: [Built.program("lull-phone")] + arguments, runtimeDirectory: runtimeDirectory)
  }

  /// Any program; its output is what it writes to standard output and standard error.
  init(command: [String], runtimeDirectory: String? = nil) throws {
    let (near, far) = try UnixSocket.pair()
    var request = SpawnRequest(command)
    if let runtimeDirectory { request.setEnvironment(["LULL_RUNTIME_DIR=\(runtimeDirectory)"]) }
    request.standardOutput = far.raw
    request.standardError = far.raw
    request.group = .newGroup
    let child = try Process.spawn(request)
    pid = child.pid
    pidfd = DescriptorBox(child.pidfd)
    output = near
  }

  deinit {
    _ = kill(-pid, SIGKILL)
  }

  /// The next text line.
  func line() throws -> String {
    while true {
      if let end = text.firstIndex(of: UInt8(ascii: "\n")) {
        defer { text.removeSubrange(...end) }
        return String(decoding: text[..<end], as: UTF8.self)
      }
      try ready(output.raw, .readable)
      var buffer = ReceiveBuffer(capacity: 4096)
      guard case .bytes = try Socket.read(output.raw, into: &buffer) else { return "(end)" }
      text += buffer.received
    }
  }

  func lines(_ count: Int) throws -> [String] {
    try (0..<count).map { _ in try line() }
  }

  /// The next text line with this beginning; others are passed over.
  func line(startingWith start: String) throws -> String {
    while true {
      let line = try line()
      if line.hasPrefix(start) { return line }
      try #require(line != "(end)", "no line begins with \(start)")
    }
  }

  func send(_ signal: Int32) throws {
    try Process.sendSignal(pidfd.raw, signal)
  }

  func status() throws -> ExitStatus? {
    try ready(pidfd.raw, .readable)
    return try Process.waitStatus(pidfd.raw)
  }

  var hasEnded: Bool {
    get throws { try Socket.poll(pidfd.raw, .readable, timeoutMilliseconds: 0) != [] }
  }
}
