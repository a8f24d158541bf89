import LullChannel
import LullEngine
import LullSystem
import LullWire

/// What the next daemon is to know of the installed programs, in the state directory: those that were
/// force-quit, and those that ended by themselves. The others are to run.
final class InstalledMemory {
  /// The memory of an earlier daemon.
  struct Remembered: Equatable {
    /// The programs that nothing but the user starts.
    var quit: [String] = []
    /// The programs that had ended by themselves.
    var ended: [String] = []
    /// True when that daemon died or was replaced, and the machine has run on since: what it started may run.
    var goesOn = false
  }

  private static let headVerb = "installed"
  private static let maximumBytes = 1 << 20

  private let file: StateFile?
  private let journal: Journal
  /// True once there was something to keep.
  private var isUsed = false

  /// Kept in `directory`; nil when the user has no place for it.
  init(directory: String?, _ journal: Journal) {
    self.journal = journal
    file = directory.map { directory in
      StateFile("installed", in: directory) { error in
        journal.note(
          at: Clock.realtime(), program: nil, what: "installed-unwritten",
          detail: "what is quit stays so until lulld ends, and not longer: \(error)")
      }
    }
  }

  func read() -> Remembered {
    guard let file else { return Remembered() }
    do {
      return Self.read(try file.read(limit: Self.maximumBytes), boot: BootIdentity.current())
    } catch {
      if !error.isNotADirectory { journal.noteUnexpected(error, except: .removed) }
      return Remembered()
    }
  }

  /// A line that is none of the file's is passed over.
  static func read(_ bytes: [UInt8], boot: String?) -> Remembered {
    var remembered = Remembered()
    for line in bytes.split(separator: UInt8(ascii: "\n")) {
      guard let message = try? Message.parse(line.span, maximumLine: Limits.maximumGuardLine) else {
        continue
      }
      switch (message.verb, message[.name]) {
      case (headVerb, _):
        let isSameBoot = boot != nil && message[.boot] == boot
        remembered.goesOn = isSameBoot && message[.state] == InstalledState.running.rawValue
      case (InstalledState.quit.rawValue, let name?): remembered.quit.append(name)
      case (InstalledState.ended.rawValue, let name?): remembered.ended.append(name)
      default: break
      }
    }
    return remembered
  }

  /// The moment at which there is something to do.
  var deadline: Int64? { file?.deadline }

  /// Takes note that the file says no longer what is there.
  func changed() {
    isUsed = true
    file?.changed()
  }

  /// Has the file written, or asks what became of it, if that is due.
  func write(_ engine: Engine, at now: Int64) {
    file?.work(at: now) { Self.bytes(engine.installedPrograms, isOver: false) }
  }

  /// Waits until everything is written, for a second at most: the daemon ends. Where it `isOver`, in good
  /// order, the next one starts what is installed anew.
  func finish(_ engine: Engine, isOver: Bool) {
    guard isUsed else { return }
    file?.changed()
    file?.finish { Self.bytes(engine.installedPrograms, isOver: isOver) }
  }

  static func bytes(_ programs: [InstalledView], isOver: Bool) -> [UInt8] {
    var bytes: [UInt8] = []
    let state: InstalledState = isOver ? .ended : .running
    Message(headVerb).adding(.boot, BootIdentity.current()).adding(.state, state.rawValue)
      .encodeTruncating(into: &bytes)
    for program in programs {
      let word: InstalledState
      switch program.memory {
      case .quit: word = .quit
      case .ended: word = .ended
      case .boot, .lost, nil: continue
      }
      Message(word.rawValue).adding(.name, program.name).encodeTruncating(into: &bytes)
    }
    return bytes
  }
}
