import LullChannel
import LullSystem
import LullWire

/// The last programs that have ended, for `lull status --all` and `lull why`; also those that ended under the
/// daemons before this one.
final class EndedPrograms {
  static let capacity = 64
  private static let maximumBytes = 1 << 20

  private let file: StateFile?
  /// Oldest first.
  private var programs: [EndedProgram] = []

  /// In memory alone.
  init() { file = nil }

  /// Kept in `directory`; nil when the user has no place for it.
  init(directory: String?, _ journal: Journal) {
    file = directory.map { directory in
      StateFile("ended", in: directory) { error in
        journal.note(
          at: Clock.realtime(), program: nil, what: "ended-unwritten", detail: "until lulld ends: \(error)")
      }
    }
    do {
      programs =
        try file.map { file throws(SystemError) in
          Self.read(try file.read(limit: Self.maximumBytes))
        } ?? []
    } catch {
      if !error.isNotADirectory { journal.noteUnexpected(error, except: .removed) }
    }
  }

  /// A line that is none of the file's is passed over.
  static func read(_ bytes: [UInt8]) -> [EndedProgram] {
    let lines = bytes.split(separator: UInt8(ascii: "\n"))
    return lines.compactMap { (try? Message.parse($0)).flatMap(EndedProgram.init) }.suffix(capacity)
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

  /// A record for each, the last one first; with a name, for those of that name.
  func items(of name: String?) -> [Message] {
    programs.reversed().filter { name == nil || $0.name == name }.map(\.item)
  }

  // MARK: The file

  /// The moment at which there is something to do.
  var deadline: Int64? { file?.deadline }

  /// Has the ends written, or asks what became of that, if it is due.
  func write(at now: Int64) { file?.work(at: now) { bytes } }

  /// Waits until the ends are written, for a second at most: the daemon ends.
  func finish() { file?.finish { bytes } }

  private var bytes: [UInt8] {
    var bytes: [UInt8] = []
    for program in programs { program.line.encodeTruncating(into: &bytes) }
    return bytes
  }
}
