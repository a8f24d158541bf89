package import LullModel
package import LullSystem

/// The end of a ledger's file. Its daemon appends to it without waiting for anybody, and alone replaces it.
/// The parent of a program that has ended appends under the file's lock, so that what it writes is not lost
/// in a file that is just being replaced.
package final class LedgerAppender {
  /// In nanoseconds; the daemon holds the lock for one write.
  private static let patience: Int64 = 1_000_000_000

  private let path: String
  private var file: DescriptorBox?
  /// In bytes, after the last write of this process.
  package private(set) var size = 0
  private var hasOthers = false

  package init(_ path: String) { self.path = path }

  /// Appends records; false when the file was removed or replaced by somebody else, and the daemon has to
  /// write it anew. The corresponding C functions are `open` and `write`.
  package func append(_ records: [LedgerRecord]) throws(SystemError) -> Bool {
    guard let file, try Files.hasName(file.raw) else { return false }
    try write(records, to: file.raw)
    return true
  }

  /// Others have appended to it. The corresponding C function is `fstat`.
  package func hasGrown() throws(SystemError) -> Bool {
    guard let file else { return false }
    let now = try Files.size(file.raw)
    return hasOthers || now > size
  }

  /// Replaces the file, before which `take` gets what others have appended to it; false when another process
  /// writes at this moment. The corresponding C functions are `flock`, `write` and `rename`.
  package func replace(
    taking take: (LedgerFile.Content) -> Void = { _ in }, with records: () -> [LedgerRecord]
  ) throws(SystemError) -> Bool {
    let old = try open()
    guard try Files.takeLock(old.raw) else { return false }
    if let content = try LedgerFile.read(path) { take(content) }
    let bytes = LedgerFile.bytes(records())
    try Files.replace(path, with: bytes)
    file = DescriptorBox(try Files.openOwnShared(path))
    (size, hasOthers) = (bytes.count, false)
    return true
  }

  /// Appends records under the lock, for a process that is not the daemon. EAGAIN: the lock is held for too
  /// long. The corresponding C functions are `flock` and `write`.
  package func appendBesideDaemon(_ records: [LedgerRecord]) throws(SystemError) {
    let deadline = Clock.boottime() + Self.patience
    while Clock.boottime() < deadline {
      let file = try open()
      if try Files.takeLock(file.raw) {
        defer { Files.giveLockBack(file.raw) }
        // The race: the daemon has replaced the file since it was opened.
        if Files.identity(path) == (try FileIdentity.of(file.raw)) { return try write(records, to: file.raw) }
      }
      Process.rest(microseconds: 1000)
    }
    throw .timedOut("flock \(path)")
  }

  private func open() throws(SystemError) -> DescriptorBox { DescriptorBox(try Files.openOwnShared(path)) }

  private func write(_ records: [LedgerRecord], to file: Int32) throws(SystemError) {
    let old = try Files.size(file)
    hasOthers = hasOthers || old > size
    var bytes = old == 0 ? LedgerFile.bytes([]) : []
    // The writer before this one may have died in the midst of a line.
    if old > 0, try Files.read(file, at: Int64(old - 1), count: 1) != [UInt8(ascii: "\n")] {
      bytes.append(UInt8(ascii: "\n"))
    }
    bytes += records.flatMap(LedgerFile.line)
    try StandardStreams.write(bytes, to: file)
    size = old + bytes.count
  }
}
