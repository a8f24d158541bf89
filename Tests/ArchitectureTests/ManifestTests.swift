import TestSupport
import Testing

/// The manifest of docs/CLUSTER.md has what a DaemonSet must have. Nothing here runs Kubernetes: these are
/// its required fields, and the names that must be the same in two places.
@Suite(.bounded) struct ManifestTests {
  private static let path = "docs/cluster/lull.yaml"

  private func text() throws -> String {
    try #require(try Tree.files(under: "docs").first { $0.path == Self.path }).text
  }

  @Test func `the manifest is a DaemonSet with all that it needs`() throws {
    let problems = try Self.problems(of: text())
    #expect(problems.isEmpty, "\(problems)")
  }

  @Test(arguments: [
    ("kind: DaemonSet", "kind: Daemonset", "kind"),
    ("apiVersion: apps/v1", "apiVersion: v1", "apiVersion"),
    ("  name: lull\n", "", "metadata.name"),
    ("      app.kubernetes.io/name: lull\n  template", "      app: lull\n  template", "selector"),
    ("image: registry.example.org/lull:0.1.0", "picture: lull", "containers.image"),
    (
      "- name: cgroup\n              mountPath", "- name: cgruop\n              mountPath",
      "volumeMounts cgruop"
    ),
    ("mountPath: /run/lull", "path: /run/lull", "volumeMounts.mountPath"),
    ("hostPID: true", "hostPid: true", "hostPID"),
    ("privileged: true", "privileged: false", "privileged"),
    ("hostPath:\n            path: /run/lull", "hostPath:\n            paths: /run/lull", "hostPath"),
    ("        - name: pods\n", "        - name: lulld\n", "containers.name"),
    ("      tolerations:", "     tolerations:", "indent"),
    ("command: [\"lulld\"]", "command: [\"lulld\"", "list"),
  ])
  func `what is missing is found`(part: String, other: String, problem: String) throws {
    let text = try text()
    try #require(text.contains(part))
    let found = Self.problems(of: text.replacing(part, with: other))
    #expect(found.contains { $0.contains(problem) }, "\(found)")
  }

  // MARK: The required fields

  static func problems(of text: String) -> [String] {
    let root: Yaml
    do { root = try YamlReader.read(text) } catch { return ["\(error)"] }
    var problems: [String] = []
    func expect(_ holds: Bool, _ problem: String) { if !holds { problems.append(problem) } }
    expect(root["apiVersion"].text == "apps/v1", "apiVersion")
    expect(root["kind"].text == "DaemonSet", "kind")
    expect(root["metadata"]["name"].text?.isEmpty == false, "metadata.name")
    let (spec, template) = (root["spec"], root["spec"]["template"])
    let selected = spec["selector"]["matchLabels"].texts
    let labels = template["metadata"]["labels"].texts
    expect(!selected.isEmpty && selected.allSatisfy(labels.contains), "selector: no labels of the template")
    let pod = template["spec"]
    expect(pod["hostPID"].text == "true", "hostPID")
    let volumes = pod["volumes"].elements
    let names = volumes.compactMap { $0["name"].text }
    expect(Set(names).count == volumes.count, "volumes.name")
    expect(volumes.allSatisfy { $0["hostPath"]["path"].text?.hasPrefix("/") == true }, "hostPath")
    let containers = pod["containers"].elements
    expect(!containers.isEmpty, "containers")
    expect(Set(containers.compactMap { $0["name"].text }).count == containers.count, "containers.name")
    for container in containers {
      expect(container["image"].text?.contains(":") == true, "containers.image")
      expect(!container["command"].elements.isEmpty, "containers.command")
      expect(container["securityContext"]["privileged"].text == "true", "privileged")
      for mount in container["volumeMounts"].elements {
        let name = mount["name"].text ?? "?"
        expect(names.contains(name), "volumeMounts \(name): no such volume")
        expect(mount["mountPath"].text?.hasPrefix("/") == true, "volumeMounts.mountPath")
      }
    }
    return problems
  }
}

/// The part of YAML that the manifest uses: maps and lists by indentation, texts, lists in one line.
private indirect enum Yaml {
  case text(String)
  case map([(String, Yaml)])
  case list([Yaml])
  case nothing

  subscript(_ key: String) -> Yaml {
    if case .map(let members) = self { members.first { $0.0 == key }?.1 ?? .nothing } else { .nothing }
  }

  var text: String? { if case .text(let text) = self { text } else { nil } }
  var elements: [Yaml] { if case .list(let elements) = self { elements } else { [] } }
  var texts: [String] {
    if case .map(let members) = self { members.map { "\($0.0)=\($0.1.text ?? "")" } } else { [] }
  }
}

private struct YamlReader {
  struct Problem: Error, CustomStringConvertible {
    let description: String
  }

  private var lines: [(indent: Int, words: Substring)]

  static func read(_ text: String) throws(Problem) -> Yaml {
    let lines = text.split { $0 == "\n" }.map { (line: Substring) in
      let indent = line.prefix { $0 == " " }.count
      return (indent: indent, words: line.dropFirst(indent))
    }
    var reader = YamlReader(lines: lines.filter { !$0.words.isEmpty && !$0.words.hasPrefix("#") })
    let value = try reader.block()
    guard reader.lines.isEmpty else { throw Problem(description: "indent: \(reader.lines[0].words)") }
    return value
  }

  /// The lines with the indent of the next one.
  private mutating func block() throws(Problem) -> Yaml {
    guard let indent = lines.first?.indent else { return .nothing }
    var (elements, members): ([Yaml], [(String, Yaml)]) = ([], [])
    while let line = lines.first, line.indent == indent {
      if line.words.hasPrefix("- ") {
        lines[0] = (indent + 2, line.words.dropFirst(2))
        elements.append(try block())
      } else {
        lines.removeFirst()
        members.append(try member(line.words, indent: indent))
      }
    }
    if let next = lines.first, next.indent > indent { throw Problem(description: "indent: \(next.words)") }
    guard elements.isEmpty || members.isEmpty else { throw Problem(description: "indent: a list in a map") }
    guard Set(members.map(\.0)).count == members.count else {
      throw Problem(description: "a key stands twice")
    }
    return elements.isEmpty ? .map(members) : .list(elements)
  }

  private mutating func member(_ words: Substring, indent: Int) throws(Problem) -> (String, Yaml) {
    guard let colon = words.firstRange(of: ":"), words[colon.upperBound...].first ?? " " == " " else {
      throw Problem(description: "no key: \(words)")
    }
    let (key, value) = (String(words[..<colon.lowerBound]), words[colon.upperBound...].drop { $0 == " " })
    guard value.isEmpty else { return (key, try Self.scalar(value)) }
    guard let next = lines.first, next.indent > indent else { return (key, .nothing) }
    return (key, try block())
  }

  private static func scalar(_ words: Substring) throws(Problem) -> Yaml {
    guard words.hasPrefix("[") else { return .text(String(words)) }
    guard words.hasSuffix("]") else { throw Problem(description: "list: \(words)") }
    return .list(
      words.dropFirst().dropLast().split(separator: ",").map { .text($0.filter { !"\" ".contains($0) }) })
  }
}
