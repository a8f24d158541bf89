import LullSystem
import LullWire

/// The records of detached programs, by which they are started again. `lull` writes them; lulld reads whether
/// there is one, and which links its program takes.
package enum ProgramRecords {
  private static let most = 1024
  /// The bytes of a record that are read: the two text lines at its beginning.
  private static let head = 16_384

  package static func folder() -> String? { StateDirectory.path().map { $0 + "/programs" } }

  package static func hold(_ name: String) -> Bool {
    folder().map { Files.exists("\($0)/\(name)") } ?? false
  }

  /// In order. A draft of a record (`.new`) does not count.
  package static func names() -> [String] {
    guard let folder = folder(), let entries = try? Files.entries(of: Array(folder.utf8)) else { return [] }
    let names = entries.map { String(decoding: $0.name, as: UTF8.self) }
    return Array(names.filter { ProgramName.isValid($0) && !$0.hasSuffix(".new") }.sorted().prefix(most))
  }

  package static func names(taking scheme: String) -> [String] {
    guard let folder = folder() else { return [] }
    return names().filter { schemes(in: "\(folder)/\($0)").contains(scheme) }
  }

  private static func schemes(in path: String) -> [String] {
    guard let file = (try? Files.openRegular(Array(path.utf8))) ?? nil,
      let bytes = try? Files.read(file.raw, at: 0, count: head)
    else { return [] }
    let lines = bytes.split(separator: UInt8(ascii: "\n"), maxSplits: 2, omittingEmptySubsequences: false)
    guard lines.count == 3, let line = try? Message.parse(String(decoding: lines[1], as: UTF8.self)),
      case .run(let run)? = try? Request.parse(line)
    else { return [] }
    return run.settings.schemes
  }
}
