import LullChannel
import LullEngine
import LullSystem

// The thaw first, then the engine, then the notices.
extension SleepFeature {
  /// Thaws before everything else, for all programs of one wake-up: the sender of the byte waits for this
  /// write. `seenAt`: when the readiness was seen. Returns false where no program sleeps by the line.
  func thawAtOnce(_ line: Slot, _ readiness: Readiness, seenAt: Int64) -> Bool {
    guard let (id, isDatagram) = sources.program(wokenBy: line) else { return false }
    if isDatagram, !readiness.contains(.error), freezer.wakesAtOnce(id) { sources.noteSender(line) }
    guard freezer.thawAtOnce(id) else { return false }
    memory.compactions.stop(id)
    sources.thawedAtOnce(id, after: Clock.boottime() - seenAt)
    return true
  }

  /// The program that sleeps by the line has not been thawed.
  func isFrozen(byLine line: Slot) -> Bool {
    guard let (id, _) = sources.program(wokenBy: line) else { return false }
    return freezer.isFrozen(id) && !freezer.isThawed(id)
  }

  func lineReady(_ line: Slot, _ readiness: Readiness) {
    sources.fired(line)
    // A set and its member are ready at once: whichever comes first has woken the program.
    guard let (id, _) = sources.program(wokenBy: line), freezer.isFrozen(id), !looksAtQueue(of: line, id)
    else { return }
    // A set that is watched as a whole does not say which connection it was.
    let found = program(id).map { $0.suspender.isDryRun ? sources.lookDry(at: id, pids(of: $0)) : [] } ?? []
    if found.isEmpty, let event = sources.ready(line, readiness, isThawed: freezer.isThawed(id)) {
      feed(event)
    }
    for event in found { feed(event) }
  }

  func thaw(_ id: AppID) {
    guard let program = program(id) else { return }
    memory.compactions.stop(id)
    do {
      try freezer.thaw(id, program.suspender)
      notes.noteThaw(of: id, failure: nil)
    } catch {
      notes.noteThaw(of: id, failure: error)
    }
    sources.thawed(id, after: Clock.boottime() - seenAt)
    pressure.scores.woke(id)
  }

  /// A close() of a program that was thawed in this turn is to be seen by its peer.
  func releaseDuplicates() {
    while let id = freezer.nextThawed() {
      guard let program = program(id) else { continue }
      // A signal that came in its sleep ends it at the thaw, before it has run.
      if program.keepsLines, Process.isDying(program.pid) { kept.keepLinesAfterCrash(of: program) }
      release(program)
    }
  }

  func release(_ program: Program) {
    core.freezing.release(program.id, keepsEvents: program.waitsForLastProcess)
    kept.lines.woke(program.id)
  }

  /// A process of the sleeper was killed, or a child of it that is not frozen with it has ended.
  func childEnded(_ id: AppID) {
    guard freezer.isWatched(id) else { return }
    // The thaw that follows gives up what is left of the lines of a command that was killed.
    if let program = program(id), hasEnded(program) { kept.keepLinesAfterCrash(of: program) }
    feed(.childEnded(id))
  }
}
