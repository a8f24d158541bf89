import Glibc
import LullSystem
import TestSupport
import Testing

/// An interactive bash on a terminal of its own, typed to by the test.
final class ShellSession {
  private let terminal: PseudoTerminal
  let shell: ConnectedChild

  init(_ lull: Lull) throws {
    try Executables.require("bash", package: "bash")
    terminal = try PseudoTerminal()
    let binaries = try String(Built.program("lull").dropLast("/lull".count))
    let script = "exec <>\(terminal.path) >&0 2>&1; cd \"$1\"; exec bash --norc --noprofile -i"
    shell = try ConnectedChild(
      ["sh", "-c", script, "sh", lull.sandbox.directory],
      environment: lull.environment + ["PATH=\(binaries):/usr/bin:/bin:/usr/sbin:/sbin", "PS1=$ "],
      group: .newSession)
    try wait(for: "$ ")
  }

  deinit { try? shell.signal(Signal.kill) }

  /// Types a line.
  func type(_ line: String) throws { try terminal.type(line + "\n") }

  /// Presses a key together with Ctrl.
  func control(_ letter: Character) throws { try terminal.control(letter) }

  /// Waits until a text is shown, after what was waited for before. A text that the typed line itself holds
  /// must be made by the shell: `echo done$((1+1))`.
  func wait(for text: String) throws { try terminal.see(text) }

  /// Types a command and waits for the text that it shows.
  func ask(_ line: String, _ text: String) throws {
    try type(line)
    try wait(for: text)
  }

  /// The process group that gets the keys.
  func foregroundGroup() throws -> Int32 {
    let group = tcgetpgrp(terminal.master)
    try Kernel.check(group < 0 ? -1 : 0)
    return group
  }

  func resize(rows: Int, columns: Int) throws { try terminal.setSize(.init(columns: columns, rows: rows)) }
}
