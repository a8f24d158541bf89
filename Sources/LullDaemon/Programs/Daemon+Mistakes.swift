import LullChannel
import LullEngine

extension Daemon {
  /// What was chosen for a program that cannot be started is not told to it days later.
  func giveUpLaunches() {
    // A failure may let the next program have its turn, whose launch may fail at once.
    while let failure = keepers.takeFailure() {
      let name = failure.name
      if engine.installed(name) != nil, programFolder?.holds(name) != true { uninstall(name) }
      _ = ask(.launchFailed(program: name, isMistake: failure.isMistake))
      guard failure.isMistake, engine.installed(name)?.state == .mistake else { continue }
      if mistakes.failed(name, programFolder) { launchMended(name) }
    }
  }

  func filesOfMistakesChanged() {
    for name in mistakes.changed(programFolder) { launchMended(name) }
  }

  private func launchMended(_ name: String) {
    guard let program = engine.installed(name), program.state == .mistake else {
      return mistakes.forget(name)
    }
    // What was chosen or opened is told no longer.
    let reason: LaunchReason = [.url, .notification].contains(program.reason) ? .user : program.reason
    _ = launch(name, Launch(reason))
  }
}
