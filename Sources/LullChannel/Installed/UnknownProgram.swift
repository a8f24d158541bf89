import LullWire

package enum UnknownProgram {
  package static func nearest(to name: String, running: [String]) -> String? {
    Spelling.nearest(to: name, among: running + startable)
  }

  package static func isStartable(_ name: String) -> Bool {
    ProgramName.isValid(name)
      && (InstalledFolder.ofThisUser?.holds(name) == true || ProgramRecords.hold(name))
  }

  package static var startable: [String] {
    ((try? InstalledFolder.ofThisUser?.names()) ?? []) + ProgramRecords.names()
  }
}
