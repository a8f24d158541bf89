package import LullModel
internal import LullSystem

/// The record of what Lull may be holding still and of who watches it: a small text file in the runtime
/// directory, by which any program can let go on what is held after the death of all of Lull.
///
/// Each text line is a word and its values. A last line without an end is torn and not read, like every line
/// that is none of these:
///
///     boot ID              where the numbers of the processes mean something
///     root PATH            cgroups directly below it may be frozen
///     process PID START    it may be stopped by SIGSTOP
///     watcher PID START    lull-guard or lulld
///     score PID START OLD RAISED    its oom_score_adj may be raised
package struct LeftoverRecord: Equatable, Sendable {
  var isEmpty: Bool { roots.isEmpty && processes.isEmpty }
  /// The boot and the namespace in which the processes have their numbers.
  package var boot: String?
  package var roots: [String] = []
  package var processes: [ProcessIdentity] = []
  /// lull-guard and lulld; those that have ended may be among them.
  package var watchers: [ProcessIdentity] = []
  package var scores: [ScoreRecord] = []

  package init() {}

  package init(_ bytes: [UInt8]) {
    let end = bytes.lastIndex(of: UInt8(ascii: "\n")) ?? 0
    for line in bytes[..<end].split(separator: UInt8(ascii: "\n")) {
      read(String(decoding: line, as: UTF8.self))
    }
  }

  private mutating func read(_ line: String) {
    let words = line.split(separator: " ", maxSplits: 1)
    guard words.count == 2 else { return }
    let value = words[1]
    switch words[0] {
    case "boot": boot = String(value)
    case "root":
      let root = String(value)
      if Self.isRoot(root), !roots.contains(root) { roots.append(root) }
    case "process": if let identity = Self.identity(value) { processes.append(identity) }
    case "score": if let score = ScoreRecord(value) { scores.append(score) }
    case "watcher": if let identity = Self.identity(value) { watchers.append(identity) }
    default: break
    }
  }

  /// The path can be a daemon's directory: its name is `lull-` and hexadecimal digits, and it has no way up
  /// in it.
  package static func isRoot(_ path: String) -> Bool {
    let parts = path.split(separator: "/", omittingEmptySubsequences: false)
    guard parts.first == "", let name = parts.last, name.hasPrefix("lull-") else { return false }
    let digits = name.dropFirst(5)
    return (1...16).contains(digits.count) && digits.allSatisfy { $0.isHexDigit && $0.isASCII }
      && !parts.contains("..")
  }

  private static func identity(_ text: Substring) -> ProcessIdentity? {
    let numbers = text.split(separator: " ")
    guard numbers.count == 2, let pid = Int32(numbers[0]), pid > 1, let start = UInt64(numbers[1]) else {
      return nil
    }
    return ProcessIdentity(pid: pid, start: start)
  }

  package var bytes: [UInt8] {
    let lines =
      (boot.map { ["boot \($0)\n"] } ?? []) + roots.map(Self.line(root:)) + watchers.map(Self.line(watcher:))
      + processes.map(Self.line(process:)) + scores.map(\.line)
    return Array(lines.joined().utf8)
  }

  static func line(root: String) -> String { "root \(root)\n" }

  static func line(watcher: ProcessIdentity) -> String { "watcher \(watcher.pid) \(watcher.start)\n" }

  static func line(process: ProcessIdentity) -> String { "process \(process.pid) \(process.start)\n" }

  var lines: Int { roots.count + processes.count + watchers.count + scores.count }

  package var living: LeftoverRecord {
    var record = self
    // The directory of an adopted program goes with the cgroup of its supervisor.
    record.roots.removeAll { !Files.exists($0) }
    record.processes.removeAll { !$0.exists }
    record.watchers.removeAll { !$0.exists }
    record.scores.removeAll { !$0.process.exists }
    return record
  }
}

/// A process whose `oom_score_adj` was raised while it sleeps.
package struct ScoreRecord: Hashable, Sendable {
  package let process: ProcessIdentity
  package let old: Int, raised: Int

  package init(process: ProcessIdentity, old: Int, raised: Int) {
    (self.process, self.old, self.raised) = (process, old, raised)
  }

  init?(_ text: Substring) {
    let numbers = text.split(separator: " ")
    guard numbers.count == 4, let pid = Int32(numbers[0]), pid > 1, let start = UInt64(numbers[1]),
      let old = Int(numbers[2]), let raised = Int(numbers[3]), OOMScore.range.contains(old),
      OOMScore.range.contains(raised),
      old < raised
    else { return nil }
    self.init(process: ProcessIdentity(pid: pid, start: start), old: old, raised: raised)
  }

  var line: String { "score \(process.pid) \(process.start) \(old) \(raised)\n" }

  static func last(of records: [ScoreRecord]) -> [ProcessIdentity: ScoreRecord] {
    Dictionary(records.map { ($0.process, $0) }) { $1 }
  }

  /// Puts back what the last record of each process says, unless the value was changed since. The
  /// corresponding C function is `write` of `/proc/PID/oom_score_adj`.
  static func putBack(_ records: [ScoreRecord]) {
    for record in last(of: records).values where record.process.exists {
      _ = try? OOMScore.change(of: record.process.pid) { $0 == record.raised ? record.old : nil }
    }
  }
}
