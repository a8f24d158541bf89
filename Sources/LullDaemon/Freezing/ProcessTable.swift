import LullChannel
import LullModel
import LullSystem

/// The shared data of the programs that are stopped by signals: the list of all processes, and the
/// record of the processes that may be stopped.
final class ProcessTable {
  /// In nanoseconds.
  private static let maximumAge: Int64 = 100_000_000

  private var entries: [ProcessEntry] = []
  private var readAt: Int64 = .min
  private var record: LeftoverFile?

  let log: any FailureLog
  private let directory: String

  init(directory: String = RuntimeDirectory.path(), _ log: any FailureLog) {
    (self.directory, self.log) = (directory, log)
    record = log.ignoring(.removed, try LeftoverFile(directory: directory))
    if let own = log.ignoring([], try ProcessIdentity.current(Identity.pid())) {
      log.ignoring(.removed, try record?.note(watcher: own))
    }
  }

  /// The process may be stopped from now on. Throws ENOENT when there is no record to note it in.
  func note(_ process: ProcessIdentity) throws(SystemError) {
    try opened().note(process: process)
  }

  /// The process's `oom_score_adj` may be raised from now on. Throws ENOENT when there is no record to note
  /// it in.
  func note(_ score: ScoreRecord) throws(SystemError) {
    try opened().note(score: score)
  }

  /// The cgroups directly below `root` may be frozen from now on. Throws ENOENT when there is no record to
  /// note it in.
  func note(root: String) throws(SystemError) {
    try opened().note(root: root)
  }

  private func opened() throws(SystemError) -> LeftoverFile {
    if let record { return record }
    let opened = try LeftoverFile(directory: directory)
    record = opened
    return opened
  }

  func guardReplaced(by pid: Int32) {
    guard let guardian = log.ignoring(.ended, try ProcessIdentity.current(pid)) else { return }
    log.ignoring(.removed, try record?.note(watcher: guardian))
  }

  // MARK: Every process

  func current() throws(SystemError) -> [ProcessEntry] {
    entries = try Process.all()
    readAt = Clock.boottime()
    return entries
  }

  /// The list is at most `maximumAge` old.
  func recent() throws(SystemError) -> [ProcessEntry] {
    if readAt != .min, Clock.boottime() - readAt < Self.maximumAge { return entries }
    return try current()
  }
}
