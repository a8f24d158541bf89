import LullSystem
import TestSupport
import Testing

import enum LullSystem.ExitStatus

/// A person at a terminal on which `lull` runs alone.
final class Screen {
  static let enter = "\u{1B}[?1049h"
  static let leave = "\u{1B}[?1049l"

  let child: ConnectedChild
  let terminal: PseudoTerminal

  init(_ lull: Lull, _ arguments: String..., size: TerminalSize = .usual) throws {
    terminal = try PseudoTerminal(size)
    let script = "exec <>\(terminal.path) >&0 2>&1; exec \"$@\""
    let words = try ["sh", "-c", script, "sh", Built.program("lull")] + arguments
    child = try ConnectedChild(words, environment: lull.environment + ["TERM=xterm"], group: .newSession)
  }

  func type(_ text: String) throws { try terminal.type(text) }

  @discardableResult
  func see(_ text: String) throws -> String { try terminal.see(text) }

  func text(with part: String) throws -> String { try terminal.text(with: part) }

  /// The rows of a text, without the codes that steer the terminal.
  static func rows(_ text: String) -> [String] {
    let plain = text.replacing(/\u{1B}\[[0-9;?]*[A-Za-z]/, with: "")
    return plain.split(whereSeparator: \.isNewline).map(String.init)
  }

  /// True when the terminal collects keys to lines and shows them, as it does for a shell.
  func isCooked() throws -> Bool {
    try type("ä")
    try see("ä")
    return try !terminal.hasUnread
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

  /// Runs `lull` with words that start a program which dies. `lull` is held still from before the program
  /// begins until all of its end is known, so that the look finds the end however slow the machine is.
  func seeEnd(of name: String, _ words: [String]) throws -> CommandResult {
    let journal = try journal()
    _ = try journal.entriesUpToNow()
    let programs = try Cgroup.open(at: sandbox.cgroup)
    try programs.freeze()
    let run = try start(words)
    // The program is born frozen, and its starter waits until it has become its command.
    try eventually("\(name) is not started") { try programs.state().populated }
    try run.signal(Signal.stop)
    try eventually("lull does not stand still") { try Process.isStopped(run.pid) }
    try programs.thaw()
    try journal.wait("exited", of: name)
    try eventually("its keeper does not end") {
      !UnixSocket.isListening(path: "\(runtimeDirectory)/keepers/\(name)")
    }
    try run.signal(Signal.continue)
    return CommandResult(
      output: try run.output.untilEnd(), errors: try run.errors.untilEnd(), status: try run.end())
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
