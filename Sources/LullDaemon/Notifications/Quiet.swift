import LullChannel
import LullSystem
import LullWire

/// "Do not disturb": notifications are shown, and make no sound. It lasts until it is taken back, also over a
/// restart.
final class Quiet {
  private let file: StateFile?
  /// True while notifications make no sound.
  private(set) var isOn: Bool

  /// Kept in `directory`; nil when the user has no place for it.
  init(directory: String?, _ journal: Journal) {
    file = directory.map { directory in
      StateFile("quiet", in: directory) { error in
        journal.note(
          at: Clock.realtime(), program: nil, what: "quiet-unwritten", detail: "until lulld ends: \(error)")
      }
    }
    let bytes = try? file?.read(limit: 4096)
    let message = bytes.flatMap { try? Message.parse($0.prefix { $0 != UInt8(ascii: "\n") }) }
    isOn = message?[.on] == Vocabulary.YesNo.yes.rawValue
  }

  func set(_ on: Bool) {
    isOn = on
    file?.changed()
  }

  /// The moment at which there is something to do.
  var deadline: Int64? { file?.deadline }

  /// Has the setting written, or asks what became of it, if that is due.
  func write(at now: Int64) { file?.work(at: now) { bytes } }

  /// Waits until the setting is written, for a second at most: the daemon ends.
  func finish() { file?.finish { bytes } }

  /// The setting as a message of its file.
  private var bytes: [UInt8] {
    let word: Vocabulary.YesNo = isOn ? .yes : .no
    var bytes: [UInt8] = []
    Message("quiet").adding(.on, word.rawValue).encodeTruncating(into: &bytes)
    return bytes
  }
}
