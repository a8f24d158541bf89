package import LullModel
package import LullSystem

/// The record's file in `lulld`: a process is appended before it is held still.
package final class LeftoverFile {
  /// After so many new text lines, those of ended processes are dropped.
  private static let compactionStep = 1024

  private let path: String
  private var record: LeftoverRecord
  private var known: Set<ProcessIdentity>
  private var scores: [ProcessIdentity: ScoreRecord]
  private var file: DescriptorBox
  private var isTorn = false
  private var limit: Int

  /// Opens the record that lull-guard has begun, for appending. ENOENT: there is no record. The corresponding
  /// C function is `open(O_APPEND)`.
  package init(directory: String) throws(SystemError) {
    path = Leftovers.path(in: directory)
    record = LeftoverRecord(try Files.readOwn(path, limit: Leftovers.maximumBytes))
    (known, scores) = (Set(record.processes), ScoreRecord.last(of: record.scores))
    file = DescriptorBox(try Files.openForAppending(path))
    limit = record.lines + Self.compactionStep
  }

  /// Notes a process that may be stopped from now on; a process that is noted already costs nothing. The
  /// corresponding C function is `write`.
  package func note(process: ProcessIdentity) throws(SystemError) {
    try checkName()
    guard !known.contains(process) else { return }
    try append(LeftoverRecord.line(process: process))
    known.insert(process)
    record.processes.append(process)
    try compactIfDue()
  }

  /// Notes a process whose `oom_score_adj` may be raised from now on; what is noted already costs nothing.
  /// The corresponding C function is `write`.
  package func note(score: ScoreRecord) throws(SystemError) {
    try checkName()
    guard scores[score.process] != score else { return }
    try append(score.line)
    scores[score.process] = score
    record.scores.append(score)
    try compactIfDue()
  }

  /// Notes a directory whose cgroups may be frozen from now on; one that is noted already costs nothing. The
  /// corresponding C function is `write`.
  package func note(root: String) throws(SystemError) {
    try checkName()
    guard !record.roots.contains(root) else { return }
    try append(LeftoverRecord.line(root: root))
    record.roots.append(root)
    try compactIfDue()
  }

  /// Notes a new lull-guard or lulld. The corresponding C function is `write`.
  package func note(watcher: ProcessIdentity) throws(SystemError) {
    try append(LeftoverRecord.line(watcher: watcher))
    record.watchers.append(watcher)
    try compactIfDue()
  }

  /// Checks that the file still has its name: nobody finds a file without one, so no process may be stopped
  /// on its strength. ENOENT: the name is gone.
  private func checkName() throws(SystemError) {
    guard try Files.hasName(file.raw) else { throw .missing(path) }
  }

  /// Appends by one write: a reader, and a start after a crash, sees all of a line or knows that it is torn.
  /// A line torn by a full disk is ended first, or it would swallow the next line.
  private func append(_ line: String) throws(SystemError) {
    let bytes = Array((isTorn ? "\n" + line : line).utf8)
    isTorn = true
    try StandardStreams.write(bytes, to: file.raw)
    isTorn = false
  }

  private func compactIfDue() throws(SystemError) {
    guard record.lines > limit else { return }
    record = record.living
    (known, scores) = (Set(record.processes), ScoreRecord.last(of: record.scores))
    try Files.replace(path, with: record.bytes)
    file = DescriptorBox(try Files.openForAppending(path))
    limit = record.lines + Self.compactionStep
  }
}
