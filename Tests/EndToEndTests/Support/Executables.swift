import Glibc
import LullSystem
import Testing

/// Where the programs under test are.
enum Executables {
  /// `LULL_BIN`, or the directory of the test bundle.
  static func path(_ name: String) throws -> String {
    if let folder = Identity.environment("LULL_BIN"), !folder.isEmpty { return "\(folder)/\(name)" }
    return try beside(name)
  }

  /// The program of the tests' own, which is built with them.
  static func puppet() throws -> String { try beside("puppet") }

  private static func beside(_ name: String) throws -> String {
    let own = try Process.executablePath()
    let path = try own[..<#require(own.lastIndex(of: "/"))] + "/\(name)"
    try #require(Files.exists(String(path)), "\(path) is not built; LULL_BIN names another directory")
    return String(path)
  }

  /// Fails with what is missing and how to get it.
  static func require(_ command: String, package: String) throws {
    let folders = (Identity.environment("PATH") ?? "").split(separator: ":")
    let found = folders.contains { Files.exists("\($0)/\(command)") }
    try #require(found, "this test needs \(command): apt-get install \(package)")
  }

  /// Netcat is the server that the README's tour uses.
  static func requireNetcat() throws { try require("nc", package: "netcat-openbsd") }
}
