import LullChannel
import LullEngine
import LullSystem

// An installed program whose file is gone, or has a mistake, would not come back. Nobody tells when somebody
// edits a file: it is looked at before a program may be purged.
extension Daemon {
  func lookAtFiles() {
    for program in engine.installedPrograms where program.state == .running { lookAtFile(of: program.name) }
  }

  func lookAtFile(of name: String) {
    guard engine.installed(name) != nil else { return }
    let problem = InstalledFolder.ofThisUser?.problem(
      ofStarting: name, path: Identity.environment("PATH"))
    _ = ask(.launchable(name, InstalledFolder.ofThisUser != nil && problem == nil))
  }
}
