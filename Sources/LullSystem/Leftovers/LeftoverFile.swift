internal import Glibc

/// The record's file, as `lulld` keeps it: what may be held still is appended before it is.
public final class LeftoverFile {
  /// More lines than this, and those of processes that have ended are dropped.
  private static let compactionStep = 1024

  private let path: String
  private var record: LeftoverRecord
  private var known: Set<ProcessIdentity>
  private var file: DescriptorBox
  private var isTorn = false
  private var lines: Int
  private var limit: Int

  /// Opens the record that lull-guard has begun, for appending. ENOENT: it has not.
  /// The corresponding C function is `open(O_APPEND)`.
  public init(directory: String) throws(SystemError) {
    path = Leftovers.path(in: directory)
    record = LeftoverRecord(try Leftovers.read(path))
    known = Set(record.processes)
    file = try Self.open(path)
    lines = record.processes.count + record.watchers.count
    limit = lines + Self.compactionStep
  }

  private static func open(_ path: String) throws(SystemError) -> DescriptorBox {
    let flags = O_WRONLY | O_APPEND | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK
    let raw = try systemCall("open \(path)") { unsafe Glibc.open(path, flags) }
    return DescriptorBox(Descriptor(owning: raw))
  }

  /// Notes a process that may be stopped from now on; costs nothing for one that is noted.
  /// The corresponding C function is `write`.
  public func note(process: ProcessIdentity) throws(SystemError) {
    try checkName()
    guard !known.contains(process) else { return }
    try append(LeftoverRecord.line(process: process))
    known.insert(process)
    record.processes.append(process)
    try compactIfDue()
  }

  /// Notes a new lull-guard or lulld. The corresponding C function is `write`.
  public func note(watcher: ProcessIdentity) throws(SystemError) {
    try append(LeftoverRecord.line(watcher: watcher))
    record.watchers.append(watcher)
    try compactIfDue()
  }

  /// Nobody finds a file without a name, so nothing may be stopped by it. ENOENT: the name is gone.
  private func checkName() throws(SystemError) {
    var status = stat()
    let raw = file.raw
    try systemCall("fstat \(path)") { unsafe fstat(raw, &status) }
    guard status.st_nlink > 0 else { throw SystemError(code: ENOENT, call: path) }
  }

  /// One write: a reader, and a start after a crash, sees all of a line or knows that it is torn. What was
  /// torn by a full disk is ended first, or it would swallow the next line.
  private func append(_ line: String) throws(SystemError) {
    let bytes = Array((isTorn ? "\n" + line : line).utf8)
    isTorn = true
    try StandardStreams.write(bytes, to: file.raw)
    isTorn = false
    lines += 1
  }

  private func compactIfDue() throws(SystemError) {
    guard lines > limit else { return }
    record = record.living
    known = Set(record.processes)
    try Files.replace(path, with: record.bytes)
    file = try Self.open(path)
    lines = record.processes.count + record.watchers.count
    limit = lines + Self.compactionStep
  }
}
