import Glibc
import LullSystem
import Synchronization
import Testing

/// A text file of the repository.
struct SourceFile: Sendable, CustomTestStringConvertible {
  /// Its path below the repository's root.
  let path: String
  let text: String
  let lines: [Substring]
  /// The lines without comments.
  let code: [Substring]

  init(path: String, text: String) {
    self.path = path
    self.text = text
    // By bytes, because characters take longer, and every test reads most files.
    let newline = UInt8(ascii: "\n")
    lines = text.utf8.split(separator: newline, omittingEmptySubsequences: false).map(Substring.init)
    code = lines.compactMap(Self.withoutComment)
  }

  var testDescription: String { path }

  private static func withoutComment(_ line: Substring) -> Substring? {
    let start = line.utf8.drop { $0 == UInt8(ascii: " ") }
    guard !start.starts(with: "//".utf8) else { return nil }
    return start.contains(UInt8(ascii: "/")) ? cut(Substring(start)) : Substring(start)
  }

  private static func cut(_ line: Substring) -> Substring {
    line.firstRange(of: " //").map { line[..<$0.lowerBound] } ?? line
  }

  /// The modules that it imports, and `LullEngine` for an `import struct LullEngine.Moment`.
  var imports: [String] {
    code.compactMap { line in
      guard line.hasPrefix("import ") || line.contains(" import ") else { return nil }
      return line.firstMatch(of: /^(?:@\S+ )*(?:[a-z]+ )?import (?:[a-z]+ )?(\w+)/).map { String($0.1) }
    }
  }
}

/// The files of the repository that this test was built from.
enum Tree {
  /// The repository's root.
  static let root = #filePath.split(separator: "/").dropLast(3).reduce("") { "\($0)/\($1)" }

  private static let known = Mutex<[String: [SourceFile]]>([:])

  /// Every file below a folder, in the order of the paths; none when there is none. It is read once.
  static func files(under folder: String) throws -> [SourceFile] {
    try known.withLock { known in
      if let files = known[folder] { return files }
      let files = try load(folder).sorted { $0.path < $1.path }
      known[folder] = files
      return files
    }
  }

  private static func load(_ folder: String) throws -> [SourceFile] {
    guard let stream = unsafe opendir("\(root)/\(folder)") else { return [] }
    defer { unsafe closedir(stream) }
    var files: [SourceFile] = []
    while let entry = unsafe readdir(stream) {
      let name = unsafe withUnsafeBytes(of: &entry.pointee.d_name) { bytes in
        unsafe String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
      }
      guard !name.hasPrefix(".") else { continue }
      let path = "\(folder)/\(name)"
      if unsafe entry.pointee.d_type == UInt8(DT_DIR) {
        files += try load(path)
      } else {
        files.append(try file(path))
      }
    }
    return files
  }

  static func file(_ path: String) throws -> SourceFile {
    let bytes = try Files.read("\(root)/\(path)", limit: 1 << 24)
    return SourceFile(path: path, text: String(decoding: bytes, as: UTF8.self))
  }

  /// The names of the folders in a folder.
  static func folders(in folder: String) throws -> [String] {
    let depth = folder.split(separator: "/").count
    let parts = try files(under: folder).map { $0.path.split(separator: "/") }
    var names: [String] = []
    for part in parts where part.count > depth + 1 && names.last != String(part[depth]) {
      names.append(String(part[depth]))
    }
    return names
  }

  /// The files that people write: code, tests, tools and pages.
  static func everything() throws -> [SourceFile] {
    let pages = [
      "README.md", "ARCHITECTURE.md", "CONTRIBUTING.md", "CHANGELOG.md", "SECURITY.md", "Package.swift",
    ]
    return try [".ci", ".github", "Sources", "Tests", "Tools", "Examples", "docs"].flatMap(files(under:))
      + pages.map(file)
  }
}
