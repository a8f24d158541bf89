import Glibc
import LullSystem
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
    let own = try Process.executablePath()
    let directory = own.split(separator: "/", omittingEmptySubsequences: false).dropLast().joined(
      separator: "/")
    try self.init(command: [directory + "/lull-phone"] + arguments, runtimeDirectory: runtimeDirectory)
  }

  /// Any program; what it writes on either stream is its output.
  init(command: [String], runtimeDirectory: String? = nil) throws {
    let (near, far) = try UnixSocket.pair()
    var request = SpawnRequest(command)
    if let runtimeDirectory {
      let variable = Array("LULL_RUNTIME_DIR=".utf8)
      request.environment.removeAll { $0.starts(with: variable) }
      request.environment.append(variable + Array(runtimeDirectory.utf8))
    }
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

  /// The next line, within 10 s.
  func line() throws -> String {
    while true {
      if let end = text.firstIndex(of: UInt8(ascii: "\n")) {
        defer { text.removeSubrange(...end) }
        return String(decoding: text[..<end], as: UTF8.self)
      }
      try #require(try Socket.poll(output.raw, .readable, timeoutMilliseconds: 10_000) != [])
      var buffer = ReceiveBuffer(capacity: 4096)
      guard case .bytes = try Socket.read(output.raw, into: &buffer) else { return "(end)" }
      text += buffer.received
    }
  }

  func lines(_ count: Int) throws -> [String] {
    try (0..<count).map { _ in try line() }
  }

  /// The next line that begins so; others are passed over.
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

  func status() throws -> LullSystem.ExitStatus? {
    try #require(try Socket.poll(pidfd.raw, .readable, timeoutMilliseconds: 20_000) != [])
    return try Process.waitStatus(pidfd.raw)
  }

  var hasEnded: Bool {
    get throws { try Socket.poll(pidfd.raw, .readable, timeoutMilliseconds: 0) != [] }
  }
}
