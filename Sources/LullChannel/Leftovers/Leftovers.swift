internal import LullModel
package import LullSystem

/// The processes that a daemon left held still when it died together with its guard, found by the record in
/// the runtime directory.
package struct Leftovers: Sendable {
  package struct Released: Equatable, Sendable {
    /// The names of cgroups that were frozen.
    package var thawed: [String] = []
    package var continued: [Int32] = []
    /// What could not be released, with the reason.
    package var failures: [String] = []

    package var isEmpty: Bool { thawed.isEmpty && continued.isEmpty && failures.isEmpty }

    package init() {}
  }

  /// The end of the name of a program's cgroup. With it no program's name makes the name of one of the
  /// kernel's files.
  package static let leafSuffix = ".program"

  /// The program whose cgroup has this name; the cgroup of a second program of that name has a number behind
  /// it.
  static func program(ofLeaf name: String) -> String {
    guard let dot = name.lastIndex(of: "."), name[dot...].hasPrefix(leafSuffix) else { return name }
    return String(name[..<dot])
  }

  /// In bytes; a larger file is none of Lull's.
  static let maximumBytes = 1 << 22

  let directory: String

  package init(directory: String = RuntimeDirectory.path()) { self.directory = directory }

  static func path(in directory: String) -> String { "\(directory)/leftovers" }

  var path: String { Self.path(in: directory) }

  /// The lock that lull-guard and lulld hold, both by one open file: while it is held, one of them lives.
  package var lockPath: String { "\(directory)/lock" }

  /// Without processes of another boot or container; nil when there is no record.
  package func record() -> LeftoverRecord? {
    guard let bytes = try? Files.readOwn(path, limit: Self.maximumBytes) else { return nil }
    var record = LeftoverRecord(bytes)
    if record.boot == nil || record.boot != BootIdentity.current() {
      (record.boot, record.processes, record.watchers, record.scores) = (nil, [], [], [])
    }
    return record
  }

  /// Thaws and continues what the record names, for the process that holds the lock. With `forgetting`, only
  /// what may still be held stays recorded, and empty cgroups are removed. Without it, record and cgroups
  /// stay as they are, for a daemon that lives.
  @discardableResult
  package func release(forgetting: Bool = true) -> Released {
    var released = Released()
    guard let old = record() else { return released }
    var record = old
    for root in record.roots { Self.release(root: root, &released) }
    record.processes.removeAll { Self.release($0, &released) }
    ScoreRecord.putBack(record.scores)
    record.scores = []
    guard forgetting else { return released }
    record.roots.removeAll(where: Self.remove)
    record.watchers = []
    if record != old || record.isEmpty { keep(record) }
    return released
  }

  private func keep(_ record: LeftoverRecord) {
    if record.isEmpty {
      try? Files.unlink(path)
    } else {
      try? write(record)
    }
  }

  private func write(_ record: LeftoverRecord) throws(SystemError) {
    try? Files.unlink(path + ".new")
    try Files.replace(path, with: record.bytes)
  }

  /// Begins the record of a daemon whose programs are frozen below `root`; this process is its guard and
  /// holds the lock. The corresponding C functions are `open`, `write` and `rename`.
  package func begin(root: String?) throws(SystemError) {
    var record = record() ?? LeftoverRecord()
    if let root, LeftoverRecord.isRoot(root), !record.roots.contains(root) { record.roots.append(root) }
    record.boot = BootIdentity.current()
    (record.processes, record.scores) = ([], [])
    // Pid 1 of a container: nobody inside can stop it, so nobody has to continue it.
    record.watchers = Identity.pid() == 1 ? [] : [try ProcessIdentity.current(Identity.pid())]
    try write(record)
  }
}
