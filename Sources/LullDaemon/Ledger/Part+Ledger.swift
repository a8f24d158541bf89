import LullEngine
import LullSystem
import LullWire

// What the ledger is told of programs, and what it knows of those that have ended.
extension Part {
  // MARK: Programs

  func note(_ program: Program) {
    // A dry run ends with the daemon.
    guard !program.isUnmanaged, !program.suspender.isDryRun, let process = program.process,
      let registration = engine.registration(of: program.id)
    else { return }
    ledger.note(
      .program(
        ProgramEntry(
          name: program.name, process: process, suspension: program.suspender.word,
          cgroup: program.suspender.cgroupPath,
          command: program.commandState.map { entry(of: program, $0, registration) },
          exit: program.exit(at: host.seenOnWall))))
  }

  private func entry(
    of program: Program, _ state: CommandState, _ registration: Registration
  ) -> CommandEntry {
    var run: [UInt8] = []
    state.rules.request.message().encodeTruncating(into: &run)
    return CommandEntry(
      run: String(decoding: run.dropLast(), as: UTF8.self), words: state.rules.words,
      isFreezeExempt: registration.isFreezeExempt, startedAt: state.startedAt,
      keepAliveRanAt: state.keepAliveRanAt, fetchedAt: state.fetchedAt, ending: engine.ending(of: program.id),
      endWord: program.endWord,
      askedToEndAt: engine.askedToEnd(of: program.id).map(clock.boottime(at:)),
      speaks: registration.speaks)
  }

  /// Under the next daemon an end that somebody has asked for is no crash, and is not asked for twice.
  func noteEnding(of id: AppID) {
    guard let program = program(id), program.isCommand, program.leaderStatus == nil else { return }
    note(program)
  }

  /// A program that failed to come under this daemon has told no end.
  func closeEntry(of program: Program) {
    guard !program.isComingBack, let process = program.process,
      ledger.ledger.program(program.name)?.process == process
    else { return }
    let runs = !hasEnded(program)
    ledger.note(
      .ended(program.end(program.leaderStatus ?? .unknown, hasLeft: runs, at: host.seenOnWall)))
  }

  func noteInstalledPrograms() {
    ledger.note(engine.installedPrograms.map { InstalledEntry($0, clock) })
  }

  // MARK: Ends

  /// The last end comes first.
  func endItems(of name: String?) -> [Message] {
    ledger.hearParents()
    return ledger.ledger.ends.reversed().filter { name == nil || $0.name == name }
      .map(\.item.message)
  }

  func schemesAtEnd(of name: String) -> [String] {
    ledger.ledger.ends.last { $0.name == name }?.schemes ?? []
  }

  func endedPrograms(taking scheme: String) -> [String] {
    let ends = ledger.ledger.ends
    return ends.indices.filter { index in
      ends[index].schemes.contains(scheme)
        && !ends[(index + 1)...].contains { $0.name == ends[index].name }
    }.map { ends[$0].name }
  }

  // MARK: Programs that are left running

  /// Daemons died when they took the program back. Nil for any other program.
  func healthNote(onLeft name: String) -> NoteItem? {
    let policy = self.policy.supervision
    guard let entry = ledger.ledger.program(name), ledger.ledger.isPoison(name, policy),
      engine.find(name: name) == nil
    else { return nil }
    guard !entry.process.hasEnded else {
      ledger.note(.ended(EndEntry(name: name, at: Clock.realtime(), process: entry.process)))
      return nil
    }
    var note = NoteItem(.leftRunning)
    (note.program, note.pid, note.count) = (name, Int64(entry.process.pid), Int64(policy.maximumDeaths))
    return note
  }

  var notesOnLeft: [NoteItem] { ledger.ledger.programs.map(\.name).compactMap(healthNote(onLeft:)) }
}

extension EndEntry {
  var item: EndedItem {
    EndedItem {
      ($0.name, $0.at) = (name, Double(at / 1000) / 1e6)
      // Whoever ends it later is no business of Lull's.
      $0.hasLeft = hasLeft
      if !hasLeft {
        ($0.exitStatus, $0.reason) = (status, reason)
      }
    }
  }
}
