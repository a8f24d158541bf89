internal import Glibc

/// What a daemon left held still when it died together with its guard, found by the record in the runtime
/// directory.
public struct Leftovers: Sendable {
  /// What was let go on.
  public struct Released: Equatable, Sendable {
    /// The names of the cgroups that were frozen.
    public var thawed: [String] = []
    /// The processes that were stopped.
    public var continued: [Int32] = []
    /// What could not be, with the reason.
    public var failures: [String] = []

    /// Nothing was held still.
    public var isEmpty: Bool { thawed.isEmpty && continued.isEmpty && failures.isEmpty }

    /// Nothing.
    public init() {}
  }

  /// What follows a program's name in that of its cgroup, which is none of the kernel's files then.
  public static let leafSuffix = ".program"

  /// The program whose cgroup has a name; a second one of that name has a number behind it.
  static func program(ofLeaf name: String) -> String {
    guard let dot = name.lastIndex(of: "."), name[dot...].hasPrefix(leafSuffix) else { return name }
    return String(name[..<dot])
  }

  /// A record has at most so many bytes; a larger one is none of Lull's.
  static let maximumBytes = 1 << 22

  private let directory: String

  /// The leftovers of the daemons of a runtime directory.
  public init(directory: String = RuntimeDirectory.path()) { self.directory = directory }

  static func path(in directory: String) -> String { "\(directory)/leftovers" }

  var path: String { Self.path(in: directory) }

  /// The lock that lull-guard and lulld hold, both by one open file: while it is held, one of them lives.
  public var lockPath: String { "\(directory)/lock" }

  /// The file as it is, if it is the user's own. EINVAL: it is something else; EFBIG: too large.
  /// The corresponding C functions are `open(O_NOFOLLOW)`, `fstat` and `read`.
  static func read(_ path: String) throws(SystemError) -> [UInt8] {
    // A fifo in its place must not make anybody wait.
    let flags = O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK
    let file = try Descriptor(owning: systemCall("open \(path)") { unsafe open(path, flags) })
    var status = stat()
    try systemCall("fstat \(path)") { unsafe fstat(file.raw, &status) }
    guard status.st_mode & S_IFMT == S_IFREG, status.st_uid == geteuid() else {
      throw SystemError(code: EINVAL, call: path)
    }
    return try Files.read("/proc/self/fd/\(file.raw)", limit: maximumBytes)
  }

  /// What the record says, without processes of another boot or container; nil when there is none.
  public func record() -> LeftoverRecord? {
    guard let bytes = try? Self.read(path) else { return nil }
    var record = LeftoverRecord(bytes)
    if record.boot == nil || record.boot != BootIdentity.current() {
      (record.boot, record.processes, record.watchers) = (nil, [], [])
    }
    return record
  }

  /// Thaws and continues what the record names, for whoever holds the lock. With `forgetting`, only what may
  /// still hold something stays recorded, and empty cgroups are removed; without, record and cgroups stay as
  /// they are, for a daemon that lives.
  @discardableResult
  public func release(forgetting: Bool = true) -> Released {
    var released = Released()
    guard var record = record() else { return released }
    for root in record.roots { Self.release(root: root, &released) }
    record.processes.removeAll { Self.release($0, &released) }
    guard forgetting else { return released }
    record.roots.removeAll(where: Self.remove)
    record.watchers = []
    keep(record)
    return released
  }

  private func keep(_ record: LeftoverRecord) {
    if record.roots.isEmpty, record.processes.isEmpty {
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
  public func begin(root: String?) throws(SystemError) {
    var record = record() ?? LeftoverRecord()
    if let root, LeftoverRecord.isRoot(root), !record.roots.contains(root) { record.roots.append(root) }
    record.boot = BootIdentity.current()
    record.processes = []
    record.watchers = [try ProcessIdentity.current(Identity.pid())]
    try write(record)
  }
}
