package import LullModel
package import LullSystem
internal import LullWire

/// The files of the ledger: the one to which each record is appended, in the runtime directory, and the copy
/// of what outlives the machine, in the state directory. Each line is a record; the first one tells the form
/// and the boot of the machine.
package enum LedgerFile {
  package static let name = "ledger"
  private static let headVerb = "ledger"
  /// It is raised when an older lulld would take the lines wrong.
  private static let form: Int64 = 1
  private static let maximumBytes = 64 << 20
  private static let lineFeed = UInt8(ascii: "\n")

  package struct Content: Equatable, Sendable {
    package var records: [LedgerRecord] = []
    package var isOfThisBoot = false
    package var isKnown = false
    /// Lines that cannot be read, each with its place, for people.
    package var faults: [String] = []
  }

  package static func path() -> String { "\(RuntimeDirectory.path())/\(name)" }

  // MARK: Reading

  /// Nil when there is no file. The corresponding C functions are `open` and `read`.
  package static func read(_ path: String) throws(SystemError) -> Content? {
    let bytes = try Files.ifThere(Files.readOwn(path, limit: maximumBytes))
    return bytes.map { content($0, boot: BootIdentity.current(), of: path) }
  }

  /// A line that cannot be read is passed over and told; a last line without an end was torn by the death of
  /// its writer.
  package static func content(_ bytes: [UInt8], boot: String?, of path: String) -> Content {
    var content = Content()
    let whole = bytes.lastIndex(of: lineFeed).map { bytes[...$0] } ?? []
    for (place, line) in whole.split(separator: lineFeed, omittingEmptySubsequences: false).enumerated() {
      guard !line.isEmpty else { continue }
      do throws(WireError) {
        let message = try Message.parse(line.span, maximumLine: Limits.maximumGuardLine)
        if message.verb == headVerb {
          content.isOfThisBoot = boot != nil && message[.boot] == boot
          content.isKnown = (try? message.integer(.version)) == form
        } else if content.isKnown {
          content.records.append(try LedgerRecord.parse(message))
        }
      } catch {
        content.faults.append("\(path), line \(place + 1), is passed over: \(error.message)")
      }
    }
    if !whole.isEmpty, !content.isKnown {
      content.faults.append("\(path) is passed over: another version of Lull has written it")
    }
    return content
  }

  // MARK: Writing

  package static func bytes(_ records: [LedgerRecord]) -> [UInt8] {
    var bytes: [UInt8] = []
    Message(headVerb).adding(.version, form).adding(.boot, BootIdentity.current())
      .encodeTruncating(into: &bytes)
    for record in records { bytes += line(record) }
    return bytes
  }

  static func line(_ record: LedgerRecord) -> [UInt8] {
    var bytes: [UInt8] = []
    record.message().encodeTruncating(into: &bytes, maximumLine: Limits.maximumGuardLine)
    return bytes
  }

  /// Appends the end of a program's first process, of which its parent may be the only one to know. The next
  /// daemon finds it, also after a restart of the machine. The corresponding C functions are `flock` and
  /// `write`.
  package static func noteEnd(_ end: EndEntry) throws(SystemError) {
    try LedgerAppender(path()).appendBesideDaemon([.exited(end)])
    guard let directory = StateDirectory.path(), Files.exists("\(directory)/\(name)") else { return }
    try LedgerAppender("\(directory)/\(name)").appendBesideDaemon([.exited(end)])
  }
}
