/// The fate of a program that the supervisor before this one has managed.
public enum LedgerReturn: Equatable, Sendable {
  /// It is taken back; `exit`: its first process has ended, and others of it go on.
  case adopted(exit: EndEntry?)
  case registersAgain
  /// It is left running, because supervisors died of it.
  case leftRunning
  case over(EndEntry)
}

extension Ledger {
  /// The ledger with which the next supervisor begins. It is written as a whole: where no supervisor ran,
  /// `names` are the installed programs, which are started also when the next one dies before it has begun.
  /// `boots`: whether the first supervisor of a guard starts what is installed; nil for a later one.
  public func next(
    isAfterFault: Bool, isService: Bool = false, boots: Bool? = nil, installed names: () -> [String]
  ) -> Ledger {
    var next = self
    for name in supervisor == .begun ? [] : names() where installed(name) == nil {
      next.apply(.installed(InstalledEntry(name: name, state: .waiting)))
    }
    next.apply(.began(isAfterFault: isAfterFault, isService: isService, boots: boots ?? isBooted))
    return next
  }

  /// The fate of a program. `runs`: its first process runs; `othersRun`: other processes of it do. An end
  /// that nobody has told gets the date of this moment, in nanoseconds since 1970.
  public func fate(
    of program: ProgramEntry, runs: Bool, othersRun: Bool, at date: Int64, _ policy: SupervisionPolicy
  ) -> LedgerReturn {
    if runs || othersRun {
      if isPoison(program.name, policy) { return .leftRunning }
      guard program.command != nil else { return runs ? .registersAgain : .over(program.end(at: date)) }
      return .adopted(exit: runs ? nil : program.end(at: date))
    }
    return .over(program.end(at: date))
  }

  /// Supervisors died again and again when they took this program back: it is left running, and not managed.
  public func isPoison(_ name: String, _ policy: SupervisionPolicy) -> Bool {
    program(name).map { $0.deaths >= policy.maximumDeaths } ?? false
  }

  /// The fate of an installed program that is not managed. `predecessor` is the ledger of the supervisor
  /// before this one; this ledger also has the ends that were found since. `comesBack`: the program runs, and
  /// registers by itself or is handed over by its parent. `isFirst`: this supervisor is the first one of its
  /// guard, so that somebody has started it. `hasLines`: lines are kept for the program.
  public func beginning(
    of name: String, after predecessor: Ledger, comesBack: Bool, isFirst: Bool = false,
    hasLines: Bool = false,
    _ policy: SupervisionPolicy
  ) -> InstalledBeginning {
    let state = predecessor.installed(name)?.state
    if state == .quit { return .quit }
    if isPoison(name, policy) { return .ended }
    if comesBack { return .returning }
    let end = lastEnd(of: name, after: predecessor)
    guard predecessor.supervisor == .begun else {
      return end?.isKnownCrash == true ? .lost : .boot
    }
    // A start of a guard by somebody is a start of all that is installed, at once or later.
    let ended = isFirst || !predecessor.isBooted ? InstalledBeginning.boot : .ended
    // A program that was still to come back has run, whatever its entry says.
    return switch predecessor.program(name) == nil ? state : .running {
    // Its lines were lost with the guard: nothing but a start brings it back.
    case .ended: isFirst && !hasLines && wasPurged(name) ? .waiting : ended
    case .waiting: .waiting
    // The program's file has come while nobody looked.
    case nil: end?.isCrash == true ? .lost : ended
    // The one who has ended it to start it again may have died with the supervisor.
    default: end?.reason?.known == .restarted ? .waiting : end?.isCrash == false ? ended : .lost
    }
  }

  private func wasPurged(_ name: String) -> Bool {
    let reason = ends.last { $0.name == name }?.reason?.known
    return reason == .purged || reason == .purgedByOperator
  }

  /// The program was being started, so that a parent which lives may be about to tell of it. The parent of a
  /// life that has ended ends itself.
  public func mayBeHandedOver(_ name: String) -> Bool {
    guard program(name) == nil else { return false }
    guard let entry = installed(name) else { return !ends.contains { $0.name == name } }
    return entry.state == .waiting && entry.due == nil
  }

  /// A life of the program has ended under this supervisor, so that its parent is about to end as well.
  public func sawEnd(of name: String, after predecessor: Ledger) -> Bool {
    ends.last { $0.name == name }.map { !predecessor.ends.contains($0) } ?? false
  }

  /// The end of the life that a program had under the supervisor before, and of no earlier life.
  private func lastEnd(of name: String, after predecessor: Ledger) -> EndEntry? {
    if let process = predecessor.program(name)?.process {
      return ends.last { $0.name == name && $0.process == process }
    }
    // The supervisor has told the end, and died before it could tell what follows from it.
    guard predecessor.supervisor == .begun, predecessor.installed(name)?.state == .running else { return nil }
    return ends.last { $0.name == name }
  }

  /// The past of an installed program for the engine, by the ledger that has the ends which were found. A
  /// program that is left running must not be started for its keep-alive, nor for a fetch.
  public func past(
    of name: String, _ clock: some LedgerClock, _ policy: SupervisionPolicy
  ) -> InstalledPast {
    var past = installed(name)?.past(clock) ?? InstalledPast()
    if isPoison(name, policy) { (past.keepAlive, past.fetches) = (nil, nil) }
    // The reason of its last start is none for the next one.
    if installed(name)?.state == .ended, wasPurged(name) { past.reason = nil }
    // The user ended it to start it again.
    let end = installed(name)?.state == .running ? ends.last { $0.name == name } : nil
    if end?.reason?.known == .restarted { past.reason = .user }
    return past
  }
}

extension ProgramEntry {
  fileprivate func end(at date: Int64) -> EndEntry {
    var end = exit ?? EndEntry(name: name, at: date, process: process)
    end.reason = command?.endWord ?? end.reason ?? OpenWord(end.status)
    return end
  }
}
