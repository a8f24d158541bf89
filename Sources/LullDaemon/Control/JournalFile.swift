import LullChannel
import LullEngine
import LullGuard
import LullSystem
import LullWire

/// The journal's file in the state directory: the next daemon reads it back. Entries are written at the end
/// of a turn, by a worker. What cannot be written stays in memory, and is tried again with a later
/// entry.
final class JournalFile {
  private static let atOnce = 128

  private let directory: String?
  /// The time between a failure and the next try, in nanoseconds.
  private let retry: Int64
  private let worker: Worker
  private var appender: Appender?
  /// The number of the first entry that is not handed over, and of the first that is not in the file.
  private var next = 0, written = 0
  /// The ends that earlier daemons have not noted, until they are handed over.
  private var late: [Journal.Entry] = []
  /// Nil while entries can be written.
  private(set) var failure: String?
  private var retryAt: Int64 = .min
  private(set) var hasBacklog = false

  /// A nil `directory` means that the user has no place for a file.
  init(
    directory: String?, by worker: Worker = Worker(),
    retry: Int64 = SupervisionPolicy().fileRetry.nanoseconds
  ) {
    (self.directory, self.worker, self.retry) = (directory, worker, retry)
  }

  var path: String? { directory.map { JournalLines.path(in: $0) } }

  // MARK: Reading

  /// Reads the last entries back into the journal, before anything is written. Those of `ends` that nobody
  /// has noted are written as well.
  func restore(_ journal: Journal, ends: [Journal.Entry] = []) {
    guard let directory else { return failed(Explanation(.noHome).line, journal) }
    var reader = JournalLines()
    reader.read(from: directory) { error in
      // What stands in the directory's place is told by the first try to write.
      if !error.isNotADirectory { journal.noteUnexpected(error, except: .removed) }
    }
    let earlier = reader.lines.compactMap(Journal.Entry.init(_:)).suffix(Journal.capacity)
    late = journal.begin(with: Array(earlier), ends: ends)
  }

  // MARK: Writing

  func write(_ journal: Journal) {
    takeProgress(journal)
    hasBacklog = false
    guard next < journal.count, Clock.boottime() >= retryAt, let appender = open(journal) else { return }
    let (own, end) = journal.own(from: next, atMost: Self.atOnce)
    var lines: [UInt8] = []
    for entry in late + own { entry.stored.encodeTruncating(into: &lines) }
    guard appender.append(lines, mark: UInt64(end)) else { return }
    (next, late) = (end, [])
    hasBacklog = next < journal.count
  }

  /// Waits for a second at most: the daemon ends.
  func finish(_ journal: Journal) {
    repeat { write(journal) } while hasBacklog
    appender?.finish()
  }

  func takeProgress(_ journal: Journal) {
    guard let appender else { return }
    let (mark, failure) = appender.takeProgress()
    if Int(mark) > written {
      written = Int(mark)
      self.failure = nil
    }
    guard let failure else { return }
    next = written
    failed(failure.isWouldBlock ? Explanation(.journalOfAnother, text: path).line : "\(failure)", journal)
  }

  private func open(_ journal: Journal) -> Appender? {
    guard let directory, let path else { return nil }
    do {
      guard appender == nil else { return appender }
      try StateDirectory.ensure(directory)
      appender = Appender(path: path, head: head, limit: JournalLines.maximumBytes, by: worker)
      return appender
    } catch {
      failed("\(error)", journal)
      return nil
    }
  }

  private var head: [UInt8] {
    let message = Message(JournalLines.headVerb).adding(.boot, BootIdentity.current())
      .adding(.pid, Identity.pid()).adding(.version, DaemonOptions.version)
    var line: [UInt8] = []
    message.encodeTruncating(into: &line)
    return line
  }

  private func failed(_ why: String, _ journal: Journal) {
    retryAt = Clock.boottime() + retry
    guard failure == nil else { return }
    failure = why
    Complaint.journalUnwritten(why).say()
    journal.note(program: nil, what: "journal-unwritten", detail: why)
  }
}
