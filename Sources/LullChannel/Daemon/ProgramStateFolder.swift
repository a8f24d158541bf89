package import LullSystem
import LullWire

/// The folder of a program for what outlives its run.
package enum ProgramStateFolder {
  /// The variable that tells a command its folder.
  package static let variable = "LULL_STATE_DIRECTORY"

  /// `programs-state/NAME` in ``StateDirectory``. It need not exist; nil when the user has no home directory,
  /// or no program can have that name.
  package static func path(of name: String) -> String? {
    ProgramName.isValid(name) ? StateDirectory.path().map { "\($0)/programs-state/\(name)" } : nil
  }

  /// Makes the folder (0700) and those above it that are missing; nobody else can write in it. The
  /// corresponding C functions are `mkdir`, `open(O_NOFOLLOW)` and `fstat`.
  package static func ensure(of name: String) throws(SystemError) -> String {
    guard let path = path(of: name) else { throw .missing("a home directory (set XDG_STATE_HOME)") }
    try StateDirectory.ensure(path)
    return path
  }
}
