import LullWire

package enum UnknownProgram {
  /// For example `no program "phoen"; did you mean "phone"?`.
  package static func text(_ name: String, running: [String]) -> String {
    if isStartable(name) { return "\(name) does not run; `lull start \(name)` starts it" }
    return "no program \"\(name)\"; "
      + (guess(name, running: running) ?? "see `lull status`, and `lull list` for what is installed")
  }

  package static func guess(_ name: String, running: [String]) -> String? {
    Spelling.nearest(to: name, among: running + startable).map { "did you mean \"\($0)\"?" }
  }

  package static func isStartable(_ name: String) -> Bool {
    ProgramName.isValid(name)
      && (InstalledFolder.ofThisUser?.holds(name) == true || ProgramRecords.hold(name))
  }

  package static var startable: [String] {
    ((try? InstalledFolder.ofThisUser?.names()) ?? []) + ProgramRecords.names()
  }
}
