import LullSystem
import LullWire

/// The look at a program that somebody has just started: a start that dies is no start.
struct StartLook {
  /// The tick of the clock of files, in nanoseconds: what is written may be dated that much earlier.
  private static let tick: Int64 = 10_000_000
  /// The most characters of its last line that are told.
  private static let longest = 200
  /// The time that a program has which is asked to end, and the way of that news, in nanoseconds.
  private static let endingTime: Int64 = 10_000_000_000
  /// The journal's words for a command that got lines back.
  private static let given = JournalWord.linesGiven.rawValue, taken = JournalWord.linesTaken.rawValue
  private static let untaken = EndReason.linesUntaken.rawValue

  /// A moment before the start, in nanoseconds of the wall clock.
  private let begunAt = Clock.realtime()
  private let hasLines: Bool
  private var time: Interval { hasLines ? Bounds.keptProving : Bounds.startProving }

  /// `name`: of a program that is to go on with the lines that are kept for it, if any are. A command that
  /// does not take them over ends at once, since its ports are in use.
  init(linesOf name: String? = nil) { hasLines = name.map { Self.areKept(of: $0) } ?? false }

  private static func areKept(of name: String) -> Bool {
    let items = try? Daemon.ask(.lines(name: name, all: false)).items
    return items?.contains { $0[.kept] != nil } ?? false
  }

  /// `pid`: of the first process, where it is known.
  func end(of name: String, pid: Int32? = nil) throws(Failure) -> EndedItem? {
    var deadline = Clock.boottime() + time.nanoseconds
    if let keeper = try? KeeperConnection(name) {
      keeper.send(.watch)
      var end = try firstEnd(keeper, pid)
      // On a busy machine lulld judges later.
      if end == nil, words(on: name).last == Self.given {
        end = try keeper.end(within: time.nanoseconds)
      }
      // lulld has asked it to end, which may take a while.
      if end == nil, words(on: name).last == Self.untaken {
        deadline = Clock.boottime() + Self.endingTime
        end = try keeper.end(within: Self.endingTime)
      }
      guard end != nil else { return nil }
    }
    var connection = try Daemon.connectStarting()
    while true {
      let end = try ProgramChange.end(of: name, after: Double(begunAt) / 1e9, &connection)
      // Other processes of it end a moment after the first one, or go on: then it lives.
      guard end == nil, Clock.boottime() < deadline else { return end }
      Daemon.pause()
    }
  }

  /// A program that has found all that it needs comes to rest. One that gets lines back may still leave them.
  private func firstEnd(_ keeper: KeeperConnection, _ pid: Int32?) throws(Failure) -> KeeperEnd? {
    guard !hasLines, let pid, var rest = ProgramRest(of: pid) else {
      return try keeper.end(within: time.nanoseconds)
    }
    let deadline = Clock.boottime() + time.nanoseconds
    while Clock.boottime() < deadline, !rest.isReached() {
      if let end = try keeper.end(within: ProgramRest.pause) { return end }
    }
    return try keeper.end()
  }

  /// What the journal says of its lines since its start.
  private func words(on name: String) -> [String] {
    guard hasLines else { return [] }
    let request = Request.log(
      follow: false, last: nil, name: name, since: Interval(nanoseconds: begunAt - Self.tick))
    let words = ((try? Daemon.ask(request).items) ?? []).compactMap { $0[.what] }
    return words.filter { [Self.given, Self.taken, Self.untaken].contains($0) }
  }

  /// Prints the name of a program that lives, or has done its work already. Any other end is a failure.
  func tell(_ name: String, pid: Int64?, end: EndedItem?) throws(Failure) {
    let sentence = end.map { hasLines ? lost(name, $0) : died(name, $0) }
    if let sentence, hasLines || end?.exitStatus != .exited(0) { throw .failed(sentence) }
    try Output.write("\(Printable.text(name))\(pid.map { " (pid \($0))" } ?? "")\n")
    if let sentence { Output.complain(sentence) }
  }

  private func lost(_ name: String, _ end: EndedItem) -> String {
    guard end.reason?.known != .linesUntaken else {
      return "\(name) did not take its lines, and is started without them: have it take LISTEN_FDS, or start "
        + "it without --keep-lines (\"lull why \(name)\", docs/KEPT-LINES.md)"
    }
    let rest =
      Self.areKept(of: name)
      ? "they wait for its next start" : "they are let go, and a command is started once without them"
    let how = "\(EndedText.how(end)) within \(DurationText.short(seconds: time.seconds))"
    return "\(name) \(how) of its start with its lines; \(rest) (\"lull why \(name)\")"
  }

  private func died(_ name: String, _ end: EndedItem) -> String {
    let status = end.exitStatus
    let how = if case .exited = status { "exit \(status.words)" } else { status.words }
    let line = lastLine(of: name).map { ": \($0)" } ?? ""
    let items = (try? Daemon.ask(.installed(name: name)).items) ?? []
    let installed = (try? items.records(InstalledItem.self))?.first
    let next = installed.map { InstalledText.next(InstalledReport($0)) } ?? ""
    let again = next.isEmpty ? "" : "; started again \(next)"
    return "\(name) ended at once (\(how))\(line)\(again); see \"lull logs \(name)\""
  }

  /// Nil when this life has written none. The file of `--output` may have the lines of others, and nothing of
  /// this life.
  private func lastLine(of name: String) -> String? {
    guard let path = KeeperFolders.output(of: name), let file = FileVersion(path),
      file.modified >= begunAt - Self.tick, let line = KeeperFolders.lastLines(1, of: name).last,
      LifeMark.moment(Array(line.utf8)[...]) == nil
    else { return nil }
    return String(line.prefix(Self.longest))
  }
}
