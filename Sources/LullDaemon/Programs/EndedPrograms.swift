import LullChannel
import LullSystem
import LullWire

/// The last programs that have ended, for `lull status --all` and `lull why`; also those that ended under the
/// daemons before this one.
final class EndedPrograms {
  static let capacity = 64

  private let file: StateFile?
  private let directory: String?
  /// Oldest first.
  private var programs: [EndedProgram] = []
  /// Files of ends that no daemon has seen, which are among `programs` and go when those are written.
  private var takenUp: [String] = []
  /// What a daemon found at its beginning of programs that had ended before it, by name: true after a crash.
  private var crashesAlone: [String: Bool] = [:]
  /// The same of programs that were taken back and have ended before the daemon asked what is installed.
  private var crashesAtOnce: [String: Bool] = [:]

  /// In memory alone.
  init() { (file, directory) = (nil, nil) }

  /// Kept in `directory`; nil when the user has no place for it.
  init(directory: String?, _ journal: Journal) {
    self.directory = directory
    file = directory.map { directory in
      StateFile(EndedFile.name, in: directory) { error in
        journal.note(
          at: Clock.realtime(), program: nil, what: "ended-unwritten", detail: "until lulld ends: \(error)")
      }
    }
    do {
      programs =
        try file.map { file throws(SystemError) in
          Self.read(try file.read(limit: EndedFile.maximumBytes))
        } ?? []
    } catch {
      if !error.isNotADirectory { journal.noteUnexpected(error, except: .removed) }
    }
    takeUp()
  }

  /// Takes up the ends that no daemon has seen.
  func takeUp() {
    guard let directory else { return }
    for path in AloneEnds.files(in: directory) where !takenUp.contains(path) {
      takenUp.append(path)
      file?.changed()
      guard let line = AloneEnds.read(path), let ended = EndedProgram(alone: line) else { continue }
      // The race: the daemon before this one has written it, and has not removed the file; or it has seen
      // the end and ended itself before the program's parent could tell it.
      guard !programs.contains(where: { $0.isSameEnd(as: ended) }) else { continue }
      if line[.boot] == BootIdentity.current() { crashesAlone[ended.name] = ended.hasCrashed }
      programs.insert(ended, at: programs.firstIndex { $0.at > ended.at } ?? programs.endIndex)
      if programs.count > Self.capacity { programs.removeFirst() }
    }
  }

  /// True for a program that crashed while no daemon ran, false for one that ended otherwise; nil for any
  /// other.
  func hasCrashedAlone(_ name: String) -> Bool? { crashesAlone[name] }

  /// Takes note of the end of a program that was taken back, before it is known what is installed.
  func endedAtOnce(_ name: String, hasCrashed: Bool) { crashesAtOnce[name] = hasCrashed }

  /// True for such a program that crashed, false for one that ended otherwise; nil for any other.
  func hasCrashedAtOnce(_ name: String) -> Bool? { crashesAtOnce[name] }

  /// A line that is none of the file's is passed over.
  static func read(_ bytes: [UInt8]) -> [EndedProgram] {
    let lines = bytes.split(separator: UInt8(ascii: "\n"))
    return lines.compactMap { (try? Message.parse($0)).flatMap { EndedProgram($0) } }.suffix(capacity)
  }

  func add(_ ended: EndedProgram) {
    if programs.count == Self.capacity { programs.removeFirst() }
    programs.append(ended)
    file?.changed()
  }

  /// The programs that took links of a scheme when they ended.
  func names(taking scheme: String) -> [String] {
    programs.indices.filter { index in
      programs[index].schemes.contains(scheme)
        && !programs[(index + 1)...].contains { $0.name == programs[index].name }
    }.map { programs[$0].name }
  }

  /// The schemes of the links that a program took when it ended last.
  func schemes(of name: String) -> [String] { programs.last { $0.name == name }?.schemes ?? [] }

  /// A record for each, the last one first; with a name, for those of that name.
  func items(of name: String?) -> [Message] {
    programs.reversed().filter { name == nil || $0.name == name }.map(\.item)
  }

  // MARK: The file

  /// The moment at which there is something to do.
  var deadline: Int64? { file?.deadline }

  /// Has the ends written, or asks what became of that, if it is due.
  func write(at now: Int64) {
    file?.work(at: now) { bytes }
    dropTakenUp()
  }

  /// Waits until the ends are written, for a second at most: the daemon ends.
  func finish() { file?.finish { bytes } }

  /// Removes the files whose ends are written.
  private func dropTakenUp() {
    guard !takenUp.isEmpty, let file, !file.isPending, file.failure == nil else { return }
    for path in takenUp { try? Files.unlink(path) }
    takenUp = []
  }

  private var bytes: [UInt8] {
    var bytes: [UInt8] = []
    for program in programs { program.line.encodeTruncating(into: &bytes) }
    return bytes
  }
}
