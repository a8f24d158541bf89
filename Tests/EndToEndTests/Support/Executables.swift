import LullSystem
import Testing

/// The programs that are not built here.
enum Executables {
  /// Fails with the name of the missing program and the package that has it.
  static func require(_ command: String, package: String) throws {
    let folders = (Identity.environment("PATH") ?? "").split(separator: ":")
    let found = folders.contains { Files.exists("\($0)/\(command)") }
    try #require(found, "this test needs \(command): apt-get install \(package)")
  }

  /// Netcat is the server that the README's tour uses.
  static func requireNetcat() throws { try require("nc", package: "netcat-openbsd") }
}
