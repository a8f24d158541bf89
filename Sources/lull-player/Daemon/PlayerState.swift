import LullChannel
import LullPlayer

/// The place of the player's saved state. A user has one player, whatever name Lull knows it by.
enum PlayerState {
  /// nil when the user has no home directory.
  static var file: StateFile? { ProgramStateFolder.path(of: "lull-player").map(StateFile.init(folder:)) }
}
