import LullEngine
import LullSystem
import LullWire

// Programs of the daemon before this one.
extension Daemon {
  /// Takes back a command, before any client's request is read.
  func restore(_ restored: RestoredProgram) {
    let (command, pidfd) = (restored.command, restored.pidfd)
    var registration = Registration(command, name: restored.name)
    registration.keepAliveSince = command.startedAt.map(clock.moment(atBoottime:))
    registration.keepAliveLastRun = command.keepAliveRanAt.map(clock.moment(atBoottime:))
    registration.ending = command.ending
    registration.askedToEnd = command.askedToEndAt.map(clock.moment(atBoottime:))
    if command.ending != nil { installedMemory.wasAskedToEnd(restored.name) }
    let suspender = suspenders.suspender(restored: restored.pid, pidfd, cgroup: restored.cgroup)
    let state = CommandState(
      CommandRules(command.run, words: command.words), startedAt: command.startedAt,
      keepAliveRanAt: command.keepAliveRanAt)
    let seed = ProgramSeed(
      name: restored.name, kind: .command(state), suspender: suspender, pid: restored.pid, pidfd: pidfd,
      speaker: nil)
    guard let program = install(seed, registration) else { return }
    if registration.isFreezeExempt { remarks.noteExempt(program.id) }
    program.ends(as: command.endWord)
    program.declare(command.run.schemes)
    if command.run.keepsLines { program.keepLinesAfterCrash() }
    observer.setStandardStreams(standardStreams(of: pidfd, command.run), of: program.id)
    freezer.expectTrial(of: program.id)
    // The command's connection broke with the old daemon; `lull run` attaches again, and the loss is no
    // hang-up.
    control.programs.setDetached(program.id, true)
  }
}

extension Registration {
  /// The registration of a command of the daemon before this one: the command goes on in the background if it
  /// sleeps by itself.
  init(_ command: KeptCommand, name: String) {
    self.init(command.run, name: name)
    resumes = sleepsByItself ? .background : nil
    isFreezeExempt = command.isFreezeExempt
  }
}
