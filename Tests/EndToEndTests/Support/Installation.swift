import LullSystem
import TestSupport
import Testing

/// A folder with the programs of Lull, as a package installs them and puts newer ones in their place.
final class Installation {
  let sandbox: Sandbox
  let folder: String
  private static let programs = ["lull", "lulld", "lull-guard", "lull-audio", "lull-notify"]

  init() throws {
    sandbox = try Sandbox()
    folder = "\(sandbox.directory)/bin"
    try Files.makeDirectory(folder)
    try replaceAll()
  }

  /// Puts new files in the place of all programs.
  func replaceAll() throws { for program in Self.programs { try replace(program) } }

  func replace(_ program: String) throws {
    try shell(#"cp "$1" "$2.new" && mv -f "$2.new" "$2""#, Built.program(program), path(program))
  }

  /// Puts a script in the place of a program.
  func replace(_ program: String, script: String) throws {
    try shell(
      #"printf '#!/bin/sh\n%s\n' "$1" >"$2.new" && chmod 755 "$2.new" && mv -f "$2.new" "$2""#, script,
      path(program))
  }

  /// Takes the right to execute a new file of a program away.
  func forbid(_ program: String) throws {
    try shell(
      #"cp "$1" "$2.new" && chmod 644 "$2.new" && mv -f "$2.new" "$2""#, Built.program(program), path(program)
    )
  }

  func path(_ program: String) -> String { "\(folder)/\(program)" }

  /// Starts `lull daemon upgrade` of these programs.
  func startUpgrade(of lull: Lull) throws -> ConnectedChild {
    try ConnectedChild([path("lull"), "daemon", "upgrade"], environment: lull.environment)
  }

  func upgrade(_ lull: Lull) throws -> CommandResult { try Self.result(of: startUpgrade(of: lull)) }

  static func result(of child: ConnectedChild) throws -> CommandResult {
    CommandResult(
      output: try child.output.untilEnd(), errors: try child.errors.untilEnd(), status: try child.end())
  }

  /// True when the process runs the file that is in the folder now.
  func isRun(_ program: String, by pid: Int32) -> Bool {
    guard let running = Self.identity(behind: "/proc/\(pid)/exe") else { return false }
    return running == Self.identity(behind: path(program))
  }

  /// The identity of a file, or of the one behind a link.
  private static func identity(behind path: String) -> FileIdentity? {
    guard let file = try? Files.openRegular(Array(path.utf8)) else { return nil }
    defer { file.close() }
    return try? .of(file.raw)
  }

  private func shell(_ script: String, _ words: String...) throws {
    let child = try ConnectedChild(["sh", "-c", script, "sh"] + words)
    try #require(child.end() == .exited(0), "\(script) \(words)")
  }
}
