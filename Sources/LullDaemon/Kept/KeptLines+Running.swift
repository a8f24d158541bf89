import LullEngine
import LullWire

extension KeptLines {
  /// A program has declared a line. One that it got back is its own again. With `keeps` a duplicate is held
  /// while the program runs.
  func hold(_ hold: Request.Hold, as line: LineID, of program: Program, _ copy: LineCopy, keeps: Bool) {
    declared.add(.init(hold, as: line), of: program.id)
    for entry in entries where entry.record.program == program.name && entry.identity == copy.identity {
      remove(entry)
    }
    settle(program.name)
    guard keeps, !hold.isEncrypted else { return }
    _ = add(copy, of: program)
  }

  func setState(_ state: [UInt8], of line: LineID, of id: AppID) -> Reply {
    guard let declaration = declared[line, of: id] else { return Reply(.noSuchLine(line)) }
    guard !declaration.isEncrypted else {
      return .error(
        code: .unsupported,
        message: "an encrypted line has no state: its keys end with the program, and it is not kept")
    }
    declared.setState(state, of: line, of: id)
    for entry in entries where entry.isOwn(line, of: id) {
      entry.record.state = state
      changed(entry)
    }
    return .ok
  }

  func release(_ line: LineID, of id: AppID) {
    declared.remove(line, of: id)
    for entry in entries { if case .standby(id, line) = entry.standing { remove(entry) } }
  }

  /// Ends what is held of lines that the program has closed without a word.
  func prune(_ id: AppID, has isThere: (LineID) -> Bool) {
    for entry in entries {
      if case .standby(id, let line?) = entry.standing, !isThere(line) { release(line, of: id) }
    }
  }

  func silence(_ id: AppID) {
    declared.forget(id)
    for entry in entries { if case .standby(id, _) = entry.standing { remove(entry) } }
  }

  /// A command sleeps whose lines are kept after a crash: from here to its wake lull-guard has a duplicate of
  /// what it waits for, because it may die in the same moment as this daemon. The other half of the room is
  /// for programs that have ended.
  func sleeps(_ program: Program, with copies: [LineCopy]) {
    for copy in copies.prefix(Limits.maximumKeptLines) {
      let held = entries.first { $0.record.program == program.name && $0.identity == copy.identity }
      if let held {
        (held.sleeper, held.isUnproven) = (program.id, false)
      } else if entries.count < policy.maximumKeptLines / 2 {
        insert(copy, of: program)
      }
    }
  }

  /// The command runs again, or is about to end: nothing is held of its lines because it slept.
  func woke(_ id: AppID) {
    for entry in entries {
      if case .standby(id, nil) = entry.standing { remove(entry) }
      if entry.sleeper == id { entry.sleeper = nil }
    }
  }

  /// Holds duplicates of the lines of a program that is about to end; those that are held already stay. From
  /// then on a program that closes its own loses none of them, also under the next daemon.
  func keep(_ copies: [LineCopy], of program: Program) {
    hold(copies, of: program)
    for entry in entries {
      guard case .standby(program.id, let line) = entry.standing else { continue }
      entry.standing = .parting(program.id, line)
      guard entry.record.ending != program.endingWithLines else { continue }
      entry.record.ending = program.endingWithLines
      changed(entry)
    }
  }

  private func hold(_ copies: [LineCopy], of program: Program) {
    for copy in copies {
      if let line = copy.line, declared[line, of: program.id]?.isEncrypted == true { continue }
      let isHeld = entries.contains {
        $0.record.program == program.name && $0.identity == copy.identity
      }
      guard isHeld || add(copy, of: program) else { return }
    }
  }
}
