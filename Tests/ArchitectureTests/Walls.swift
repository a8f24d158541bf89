/// The properties of one module's objects that can be written from other files, and the writes to them.
struct Walls {
  /// A write to a property of an object in another folder.
  struct Write: CustomStringConvertible {
    let path: String
    let line: Substring
    let classes: [String]

    var description: String { "\(path) writes to \(classes.joined(separator: ", ")): \(line)" }
  }

  private struct Property {
    let name: String
    let type: String
    let isOpen: Bool
  }

  private static let changes = [".append(", ".insert(", ".remove", ".formUnion("]

  private let pattern =
    /\.(\w+)(?:[?!]?(?:\[[^\]]*\])?[?!]? [-+|&*]?=(?!=)|[?!]?\.(?:append|insert|remove\w*|formUnion)\()/
  private let files: [(file: SourceFile, owner: Substring)]
  /// The classes with such a property, by its name and folder.
  private var classes: [String: [Substring: [String]]] = [:]
  /// The folders in which a type has a stored property of that name. Whose property is meant is not known
  /// there.
  private var owners: [String: Set<Substring>] = [:]

  init(_ files: [SourceFile]) {
    var homes: [Substring: String] = [:]
    for file in files { homes[Self.name(file.path)] = file.path }
    self.files = files.sorted { $0.path < $1.path }.map { file in
      let type = Self.name(file.path).split(separator: "+")[0]
      return (file, Self.folder(homes[type] ?? file.path))
    }
    for (file, owner) in self.files {
      for property in Self.properties(of: file) {
        owners[property.name, default: []].insert(owner)
        if property.isOpen { classes[property.name, default: [:]][owner, default: []].append(property.type) }
      }
    }
  }

  /// The writes over a wall, in the order of the files.
  func writes() -> [Write] {
    files.flatMap { file, owner in
      file.code.flatMap { line in
        written(in: line).compactMap { name in
          guard let holders = classes[name], owners[name]?.contains(owner) != true else { return nil }
          return Write(path: file.path, line: line, classes: holders.values.joined().sorted())
        }
      }
    }
  }

  /// The folder below the module; a file outside every folder is the module's own.
  private static func folder(_ path: String) -> Substring {
    path.split(separator: "/").dropFirst(2).dropLast().first ?? ""
  }

  private static func name(_ path: String) -> Substring {
    (path.split(separator: "/").last ?? "").dropLast(".swift".count)
  }

  /// The names of properties that a line of code assigns or changes.
  private func written(in line: Substring) -> [String] {
    guard line.contains("= ") || Self.changes.contains(where: { line.contains($0) }) else { return [] }
    return line.matches(of: pattern).filter { !line[..<$0.range.lowerBound].hasSuffix("case ") }
      .map { String($0.1) }
  }

  /// The stored properties of the types in a file. Open ones are those of a class that other files may write.
  private static func properties(of file: SourceFile) -> [Property] {
    var types: [(indent: Int, kind: Substring, name: String)] = []
    var found: [Property] = []
    for line in file.lines {
      let indent = line.prefix { $0 == " " }.count
      let code = line.dropFirst(indent)
      guard !code.isEmpty, !code.hasPrefix("//") else { continue }
      while let last = types.last, indent <= last.indent { types.removeLast() }
      if code.hasSuffix("{"), let match = code.firstMatch(of: typeDeclaration) {
        types.append((indent, match.1, String(match.2)))
      } else if let type = types.last, indent == type.indent + 2,
        let property = property(code, of: type.name, isClass: type.kind == "class")
      {
        found.append(property)
      }
    }
    return found
  }

  private static var typeDeclaration: Regex<(Substring, Substring, Substring)> {
    /^(?:@?\w+ )*?(class|struct|enum|extension) ([\w.]+)/
  }

  private static func property(_ code: Substring, of type: String, isClass: Bool) -> Property? {
    guard code.contains("var "), let match = code.firstMatch(of: /^((?:[\w()]+ |@\w+ )*)var (\w+)/),
      !match.1.contains("static")
    else { return nil }
    let isComputed = code.hasSuffix("{") || code.contains(" { ")
    guard !isComputed || code.contains("didSet") else { return nil }
    let isHidden = match.1.contains("private") || match.1.contains("(set)")
    return Property(name: String(match.2), type: type, isOpen: isClass && !isHidden)
  }
}
