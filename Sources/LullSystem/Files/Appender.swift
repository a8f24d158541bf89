/// Appends lines to a file by a worker, so that a slow or full disk holds up nobody. The file is the owner's
/// alone (0600), and at most one process appends to it. Before it grows beyond its limit it becomes `PATH.1`.
package final class Appender {
  /// The most bytes that wait.
  private static let room = 1 << 18
  /// The time for which lines are held back, in nanoseconds: the caller has others to serve now, who want the
  /// processor.
  private static let delay: Int64 = 10_000_000
  /// The longest time for which an end waits for the disk, in milliseconds.
  static let ending: Int32 = 1000

  private let worker: Worker
  private let file: AppendedFile

  /// The file is opened with the first line. Each opening begins with the line `head`.
  package init(path: String, head: [UInt8], limit: Int, by worker: Worker = Worker()) {
    self.worker = worker
    file = AppendedFile(path: path, head: head, limit: limit)
  }

  /// The file is closed with the last work, which a disk may hold up for longer.
  deinit { finish() }

  /// The lines are written soon; `mark` is the number under which `takeProgress` tells that they are. False:
  /// too much waits, a failure was not taken note of yet, or no thread can be started.
  package func append(_ lines: [UInt8], mark: UInt64) -> Bool {
    let (isTaken, isFirst) = file.batch.change { batch in
      guard batch.failure == nil, batch.lines.count + lines.count <= Self.room else { return (false, false) }
      defer {
        batch.lines += lines
        batch.mark = mark
      }
      return (true, batch.lines.isEmpty)
    }
    guard isTaken, isFirst else { return isTaken }
    do {
      try worker.perform(after: Self.delay) { [file] in file.write() }
      return true
    } catch {
      file.batch.change { $0.lines = [] }
      return false
    }
  }

  /// The mark of the last lines that are in the file, and the failure since the last call. After a failure
  /// the lines behind that mark are to be handed over again. EAGAIN: another process appends to the file.
  package func takeProgress() -> (written: UInt64, failure: SystemError?) {
    file.batch.change { ($0.written, $0.failure.take()) }
  }

  /// Waits until everything is written or has failed, for a second at most.
  package func finish() { worker.finish(milliseconds: Self.ending) }
}

/// All but the batch belongs to the worker's thread.
private final class AppendedFile: @unchecked Sendable {
  struct Batch {
    var lines: [UInt8] = []
    var mark: UInt64 = 0
    var written: UInt64 = 0
    var failure: SystemError?
  }

  /// The longest wait for the lock of a process that is ending, in nanoseconds.
  private static let patience: Int64 = 500_000_000

  let batch = Monitor(Batch())
  private let path: String
  private let head: [UInt8]
  private let limit: Int
  private var file: DescriptorBox?
  private var size = 0

  init(path: String, head: [UInt8], limit: Int) { (self.path, self.head, self.limit) = (path, head, limit) }

  deinit { close() }

  /// No lines wait when those before them have failed.
  func write() {
    let (lines, mark) = batch.change { batch in
      defer { batch.lines = [] }
      return (batch.lines, batch.mark)
    }
    guard !lines.isEmpty else { return }
    do throws(SystemError) {
      try append(lines)
      batch.change { $0.written = mark }
    } catch {
      batch.change { batch in
        batch.failure = error
        // The lines behind must not come without those that are missing.
        batch.lines = []
      }
    }
  }

  private func append(_ lines: [UInt8]) throws(SystemError) {
    // Somebody may have removed the file.
    if let file, try !Files.hasName(file.raw) { close() }
    if file == nil { try open() }
    if size + lines.count > limit {
      try Files.rename(path, to: path + ".1")
      close()
      try open()
    }
    try add(lines)
  }

  private func open() throws(SystemError) {
    let file = try DescriptorBox(opened())
    guard try takeLock(file.raw) else { throw .wouldBlock("flock \(path)") }
    self.file = file
    do throws(SystemError) {
      size = try Files.size(file.raw)
      try cutTornLine(file.raw)
      try add(head)
    } catch {
      close()
      throw error
    }
  }

  /// The race: a process that was killed gives its locks back a moment after its descriptors that others wait
  /// for.
  private func takeLock(_ raw: Int32) throws(SystemError) -> Bool {
    let deadline = Clock.boottime() + Self.patience
    while try !Files.takeLock(raw) {
      guard Clock.boottime() < deadline else { return false }
      Process.rest(microseconds: 5000)
    }
    return true
  }

  private func opened() throws(SystemError) -> Descriptor {
    do {
      return try Files.openOwnShared(path)
    } catch {
      // Somebody may have removed the folders as well.
      guard error.isNoSuchFile, let slash = path.lastIndex(of: "/") else { throw error }
      try Files.makeDirectories(String(path[..<slash]))
      return try Files.openOwnShared(path)
    }
  }

  /// Half a line at the end is what a crash or a full disk has left.
  private func cutTornLine(_ raw: Int32) throws(SystemError) {
    let longest = 4096
    let start = max(0, size - longest)
    let end = try Files.read(raw, at: Int64(start), count: size - start)
    let whole = end.lastIndex(of: UInt8(ascii: "\n")).map { start + $0 + 1 } ?? start
    guard whole < size else { return }
    try Files.truncate(raw, to: whole)
    size = whole
  }

  private func add(_ bytes: [UInt8]) throws(SystemError) {
    guard let file else { return }
    let count = try Files.writeOnce(bytes, to: file.raw, path)
    guard count < bytes.count else {
      size += count
      return
    }
    // Where it cannot be cut off, the next opening does it.
    if (try? Files.truncate(file.raw, to: size)) == nil { close() }
    throw .noSpace("write \(path)")
  }

  /// The race: a child has a copy of the descriptor until it runs its program, and would keep the lock.
  private func close() {
    if let file { Files.giveLockBack(file.raw) }
    file = nil
  }
}
