import LullSystem
import Testing

/// The programs that are built with the tests.
package enum Built {
  /// A program of Lull: in the folder `LULL_BIN`, or beside the tests.
  package static func program(_ name: String) throws -> String {
    if let folder = Identity.environment("LULL_BIN"), !folder.isEmpty { return "\(folder)/\(name)" }
    return try helper(name)
  }

  /// A program of the tests' own, which is always beside them.
  package static func helper(_ name: String) throws -> String {
    let own = try Process.executablePath()
    let path = try own[..<#require(own.lastIndex(of: "/"))] + "/\(name)"
    try #require(Files.exists(String(path)), "\(path) is not built; LULL_BIN names another directory")
    return String(path)
  }
}
