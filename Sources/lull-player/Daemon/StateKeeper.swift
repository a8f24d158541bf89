import LullChannel
import LullPlayer
import LullSystem
import LullWire

/// Saves the player's state: changes before they are answered, the place now and then.
final class StateKeeper {
  private enum Debt: Comparable { case nothing, place, everything }

  /// The nanoseconds after which a changed place is saved while the player plays, at a turn that comes
  /// anyway.
  private static let longestUnsaved: Int64 = 5_000_000_000

  /// The reason why the state is not saved; nil when it is.
  private(set) var trouble: String?
  private let player: QueuePlayer
  private var file = PlayerState.file
  private var debt = Debt.nothing
  private var savedAt = Clock.boottime()

  /// Restores the saved state. A file that cannot be read is not overwritten: it may be read at the next
  /// start.
  init(_ player: QueuePlayer) {
    self.player = player
    do throws(SystemError) {
      if let state = try file?.load() { player.restore(state) }
    } catch {
      say("the queue of the last time cannot be read, and this one will not be remembered: \(error)")
      file = nil
    }
  }

  func note(_ change: QueuePlayer.Change) {
    switch change {
    case .queue, .volume, .repeatMode, .shuffle, .replayGain: debt = .everything
    case .currentItem, .status, .position: debt = max(debt, .place)
    case .note: break
    }
  }

  func noteRefill() { debt = max(debt, .place) }

  /// Saves what is due, at the end of a turn or before an answer.
  func settle() {
    let age = Clock.boottime() - savedAt
    if player.status == .playing, age > Self.longestUnsaved { debt = max(debt, .place) }
    if debt != .nothing { save() }
  }

  func save() {
    guard let file else { return }
    savedAt = Clock.boottime()
    do throws(SystemError) {
      let state = player.savedState
      if debt == .everything { try file.save(state) } else { try file.savePlace(state) }
      debt = .nothing
      if trouble != nil { Log.write("the queue is remembered again") }
      trouble = nil
    } catch {
      // The debt stays, so that the next turn tries again.
      debt = max(debt, .place)
      say("the queue cannot be remembered: \(error)")
    }
  }

  /// Logs a trouble once, and not at each turn.
  private func say(_ reason: String) {
    if trouble != reason { Log.write(reason) }
    trouble = reason
  }
}

/// The place of the player's saved state. A user has one player, whatever name Lull knows it by.
enum PlayerState {
  /// Nil when the user has no home directory.
  static var file: SavedStateFile? {
    ProgramStateFolder.path(of: "lull-player").map { SavedStateFile(path: $0 + "/queue") }
  }
}

enum Log {
  static func write(_ text: String) {
    let time = LocalTime(unix: Double(Clock.realtime()) / 1e9)
    // A failure is ignored: the player works without a reader of its log, too.
    try? StandardStreams.write(Array("\(time) \(Printable.text(text))\n".utf8), to: StandardStreams.error)
  }
}
