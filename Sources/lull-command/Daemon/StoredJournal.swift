import LullChannel
import LullModel
import LullSystem
import LullWire

/// The journal as its files have it, for `lull log` and `lull wakes` where no daemon runs.
enum StoredJournal {
  /// The entries that are shown where neither a time nor a number is given, as lulld has it.
  private static let usual = 100

  /// The answer of the daemon to a `log`; where none runs, what its files have, which is said in one line.
  static func ask(_ question: Request) throws(Failure) -> [EntryReport] {
    do throws(Failure) {
      return try Daemon.ask(question) { (items) throws(WireError) in
        try items.read(.entry, EntryReport.init)
      }
    } catch .noDaemon {
      let entries = try read(question)
      Output.complain("no daemon runs; this is what its journal has on disk")
      return entries
    }
  }

  /// Throws `noDaemon` when there are no files either.
  private static func read(_ question: Request) throws(Failure) -> [EntryReport] {
    guard case .log(_, let last, let name, let since, let boot) = question,
      let directory = StateDirectory.path()
    else { throw .noDaemon }
    if let name, !ProgramName.isValid(name) { throw .noName(name) }
    var reader = JournalLines()
    var failure: SystemError?
    reader.read(from: directory) { if !$0.isNoSuchFile { failure = $0 } }
    if let failure { throw .failed("the journal cannot be read: \(failure)") }
    guard !reader.lines.isEmpty else { throw .noDaemon }
    let lines = reader.lines.filter { $0.isOfThisBoot || !boot }
    var entries = lines.compactMap { try? EntryReport($0.entry.adding(flag: .earlier)) }
    if let since { entries.removeAll { $0.at < since.seconds } }
    if let name {
      guard reader.lines.contains(where: { $0.entry[.program] == name }) else {
        throw .failed("no program \"\(name)\" in the journal; \(guess(name, among: reader.lines))")
      }
      entries.removeAll { $0.program != name }
    }
    let isBounded = since == nil && !boot
    return Array(entries.suffix(last ?? (isBounded ? usual : .max)))
  }

  private static func guess(_ name: String, among lines: [JournalLines.Line]) -> String {
    let names = lines.compactMap { $0.entry[.program] }
    return UnknownProgram.guess(name, running: names) ?? "\"lull log\" shows all of it"
  }
}
