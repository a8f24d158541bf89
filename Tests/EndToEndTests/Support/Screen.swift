import LullSystem
import TestSupport
import Testing

import enum LullSystem.ExitStatus

/// A person at a terminal in which `lull` runs: keys go to it, and what it shows is read.
final class Screen {
  let child: ConnectedChild
  private let ends: LullSystem.PseudoTerminal.Ends
  private var shown: [UInt8] = []

  init(_ lull: Lull, _ arguments: String..., size: TerminalSize = .usual) throws {
    ends = try LullSystem.PseudoTerminal.open(size)
    let words = try ["setsid", "--ctty", "--wait", Built.program("lull")] + arguments
    let terminal = ends.terminal.raw
    child = try ConnectedChild(
      ["sh", "-c", "exec \"$@\" >&0 2>&0", "sh"] + words, environment: lull.environment, input: terminal)
  }

  func type(_ text: String) throws {
    let deadline = Deadline()
    var rest = Array(text.utf8)[...]
    while !rest.isEmpty {
      switch try StandardStreams.writePart(rest, to: ends.master.raw) {
      case .sent(let count): rest = rest.dropFirst(count)
      case .wouldBlock: try deadline.wait(ends.master.raw, .writable, for: "room for keys")
      case .closed: return
      }
    }
  }

  /// Waits until this text has been shown; what was shown before it is forgotten.
  @discardableResult
  func see(_ text: String) throws -> String {
    let deadline = Deadline()
    var buffer = ReceiveBuffer(capacity: 4096)
    while true {
      let now = String(decoding: shown, as: UTF8.self)
      if let place = now.range(of: text) {
        shown = Array(now[place.upperBound...].utf8)
        return String(now[..<place.lowerBound])
      }
      try deadline.wait(ends.master.raw, .readable, for: "\(text); shown: \(now)")
      guard case .bytes = try StandardStreams.read(ends.master.raw, into: &buffer) else { continue }
      shown += buffer.received
    }
  }

  func setSize(_ size: TerminalSize) throws { try Terminal.setSize(ends.master.raw, size) }

  /// True when the terminal collects keys to lines and shows them, as it does for a shell.
  func isCooked() throws -> Bool {
    try type("ä")
    try see("ä")
    return try Socket.poll(ends.terminal.raw, .readable, timeoutMilliseconds: 0).isEmpty
  }
}

extension String {
  fileprivate func range(of text: String) -> Range<Index>? {
    var start = startIndex
    while start <= endIndex {
      if self[start...].hasPrefix(text) { return start..<index(start, offsetBy: text.count) }
      guard start < endIndex else { return nil }
      start = index(after: start)
    }
    return nil
  }
}

extension Lull {
  /// `lull run --detach --name NAME OPTIONS -- COMMAND`; returns its process.
  @discardableResult
  func runDetached(_ name: String, _ command: [String], options: [String] = []) throws -> Int32 {
    let run = try start(["run", "--detach", "--name", name] + options + ["--"] + command)
    let output = try run.output.untilEnd()
    let errors = try run.errors.untilEnd()
    try #require(try run.end() == .exited(0), "\(name) was not started: \(errors)")
    return try #require(
      output.split(separator: " ").last.flatMap { Int32($0.dropLast(2)) }, "no process in \(output)")
  }

  /// `lull attach NAME` with an input that ends.
  func attach(_ name: String, sending text: String) throws -> ConnectedChild {
    let input = try Pipe.open()
    try StandardStreams.write(Array(text.utf8), to: input.writing.raw)
    input.writing.close()
    return try start(["attach", name], input: input.reading.raw)
  }

  /// Waits until so many have joined the program of a keeper, which has the daemon and its own socket
  /// besides.
  func waitForClients(_ count: Int, of keeper: Int32) throws {
    try eventually("not \(count) have joined") {
      try Kernel.links(of: keeper).count { $0.hasPrefix("socket:") } == 2 + 2 * count
    }
  }

  /// The log of a detached program, followed from what its first life has written.
  func follow(_ name: String) throws -> ConnectedChild {
    let log = try start(["logs", name, "--follow"])
    // The line that marks the start.
    _ = try log.output.line()
    return log
  }

  /// What a detached program has written when it has ended, without the lines that mark its starts.
  func wholeLog(_ name: String) throws -> String {
    let log = try start(["logs", name, "--follow"])
    let text = try log.output.untilEnd()
    try #require(try log.end() == .exited(0))
    return text.split(separator: "\n", omittingEmptySubsequences: false)
      .filter { !$0.hasPrefix("--- started ") }.joined(separator: "\n")
  }

  /// The keeper of a detached program.
  func keeper(of pid: Int32) throws -> Int32 { try Process.parentPid(of: pid) }
}
