internal import LullChannel

extension Application {
  /// The folder for what the program keeps from one run to the next, such as the screen that it showed, or
  /// what it had not sent yet. It is the program's alone, by its ``name``, and is made at its first use for
  /// its owner alone (0700): `lull/programs-state/NAME` in `$XDG_STATE_HOME`. A command of `lull run` finds
  /// its own in `LULL_STATE_DIRECTORY`.
  ///
  /// A program that is killed while it sleeps hears nothing before: what is to last is written when
  /// ``ApplicationDelegate/applicationDidEnterBackground(_:)`` is told, and read at the next launch.
  ///
  /// - Throws: `system` when the folder cannot be made, or others can write in it.
  public var stateDirectory: String {
    get throws(LullError) {
      do { return try ProgramStateFolder.ensure(of: name) } catch { throw LullError(error) }
    }
  }
}
