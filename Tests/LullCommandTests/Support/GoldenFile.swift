import LullSystem
import LullWire

/// A golden file: command lines of `lull`, what the daemon answers, and what `lull` writes, letter by letter.
///
///     # what the cases below show
///     $ COLUMNS=80 lull status "a word"
///     > status             the answer to this request stands below; without such a line, to every request
///     < item kind=...      a line of the answer; its last line is added
///     * item kind=...      one more line of the last answer: the case is run once for each of these
///     ? the requests of `lull`, when none of the lines above is one more
///     | a line of standard output; "! " begins one of standard error, "= " a status that is not 0
struct GoldenFile: CustomStringConvertible {
  private static let folder =
    #filePath.split(separator: "/").dropLast(3).reduce("") { "\($0)/\($1)" } + "/Golden"

  static var all: [GoldenFile] {
    let entries = (try? Files.entries(of: Array(folder.utf8))) ?? []
    return entries.map { GoldenFile(description: String(decoding: $0.name, as: UTF8.self)) }
      .sorted { $0.description < $1.description }
  }

  let description: String

  private var path: String { "\(Self.folder)/\(description)" }

  func lines() throws -> [String] {
    String(decoding: try Files.read(path, limit: 1 << 20), as: UTF8.self)
      .split(separator: "\n", omittingEmptySubsequences: false).dropLast().map { String($0) }
  }

  func write(_ lines: [String]) throws {
    try Files.replace(path, with: Array(lines.map { $0 + "\n" }.joined().utf8))
  }

  /// The lines with what `lull` writes now.
  func run() throws -> [String] {
    var run = Run()
    for line in try lines() { try run.take(line) }
    try run.take("")
    return Array(run.lines.dropLast())
  }

  private struct Run {
    private(set) var lines: [String] = []
    private var command = ""
    private var answers: [(verb: String?, lines: [String])] = []
    private var variant: String?
    private var isPending = false

    mutating func take(_ line: String) throws {
      let rest = String(line.dropFirst(2))
      switch line.first {
      case "?", "|", "!", "=": return
      case "$":
        try end()
        (command, answers, variant, isPending) = (rest, [], nil, true)
      case ">": answers.append((rest, []))
      case "<":
        if answers.isEmpty { answers.append((nil, [])) }
        if !rest.isEmpty { answers[answers.count - 1].lines.append(rest) }
      case "*":
        if variant != nil { try end() }
        (variant, isPending) = (rest, true)
      default: try end()
      }
      lines.append(line)
    }

    private mutating func end() throws {
      guard isPending else { return }
      isPending = false
      let outcome = try outcome()
      let requests = outcome.requests.compactMap { try? $0.message().encoded().dropLast() }
      if variant == nil, !requests.isEmpty {
        lines.append("? " + requests.map { String(decoding: $0, as: UTF8.self) }.joined(separator: "; "))
      }
      lines += Self.lines(outcome.output, "|") + Self.lines(outcome.errors, "!")
      if case .exited(let status) = outcome.status, status != 0 { lines.append("= \(status)") }
    }

    private func outcome() throws -> Outcome {
      var answers = answers
      if let variant {
        if answers.isEmpty { answers.append((nil, [])) }
        answers[answers.count - 1].lines.append(variant)
      }
      var words = Self.words(command)
      let variables = words.prefix { $0 != "lull" }
      words.removeFirst(variables.count + 1)
      let nowhere = ["XDG_STATE_HOME=/nonexistent", "LULL_CONFIG_DIR=/nonexistent"]
      let script: Script = { request, client, _ in
        let verb = request.message().verb
        guard let answer = answers.first(where: { $0.verb == nil || $0.verb == verb })?.lines else {
          return try client.say("error code=no-such-program message=none")
        }
        for line in answer { try client.say(line) }
        let isWhole = answer.contains { $0.hasPrefix("ok") || $0.hasPrefix("error") }
        if !isWhole { try client.say("ok count=\(answer.count)") }
      }
      return try LullProcess.run(
        words, environment: variables + nowhere, script: answers.isEmpty ? nil : script)
    }

    private static func words(_ command: String) -> [String] {
      let parts = command.split(separator: "\"", omittingEmptySubsequences: false).enumerated()
      return parts.flatMap { index, part in
        index % 2 == 1 ? [String(part)] : part.split(separator: " ").map { String($0) }
      }
    }

    private static func lines(_ text: String, _ mark: String) -> [String] {
      let shown = text.replacing(/\/tmp\/lull-test-\d+-\d+/, with: "RUNTIME_DIR")
      let lines = shown.split(separator: "\n", omittingEmptySubsequences: false)
      return (lines.last == "" ? lines.dropLast() : lines).map { $0.isEmpty ? mark : "\(mark) \($0)" }
    }
  }
}
