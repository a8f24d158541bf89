import LullChannel
import LullEngine
import LullGuard
import LullSystem
import LullWire

// What the daemon before this one has left: its programs are taken back at once, before any client is heard,
// so that the first answer is right. Nothing here may wait for anything: frozen programs may be behind it.
extension LifecycleFeature {
  func takeBack() {
    ledger.begin(
      isAfterFault: options.crashed, isService: options.service.starter == .service,
      boots: options.restarts == 0 ? options.boots : nil, installed: installed.installedNames)
    // Before any progress of this daemon: a fault of the one before must not be blamed on that.
    guardianship.tell(.begin)
    for entry in ledger.predecessor.recordings { _ = ask(.permitRecording(entry)) }
    for entry in ledger.predecessor.notifications { _ = ask(.restore(record(of: entry))) }
    for entry in ledger.ledger.programs { takeBack(entry) }
    // Nobody may ever register again, and the machine's own time zone counts for repeats without another.
    if engine.allNotifications.contains(where: \.goesByLocalZone) { surroundings.lookAround() }
  }

  private func record(of entry: NotificationEntry) -> NotificationRecord {
    entry.record(clock, isSameBoot: ledger.isSameBoot) { try? ZoneRules.read($0) }
  }

  private func takeBack(_ entry: ProgramEntry) {
    let others = entry.cgroup.flatMap { try? Cgroup.open(at: $0).state().populated } ?? false
    let runs = !entry.process.hasEnded
    var entry = entry
    if !runs, entry.exit == nil { entry.exit = untakenEnd(of: entry) }
    switch ledger.ledger.fate(
      of: entry, runs: runs, othersRun: others, at: Clock.realtime(), policy.supervision)
    {
    case .registersAgain:
      if journal.ignoring([], try awaited.wait(for: entry)) == false {
        over(entry.end())
      }
    case .leftRunning: journal.note(program: entry.name, what: "left-running")
    case .over(let end): over(end)
    case .adopted(let exit):
      guard let command = entry.command else { return }
      ledger.note(.progress(name: entry.name, .taking))
      if !adopt(entry, as: command, exit: exit) {
        over(exit ?? entry.end())
      }
      ledger.note(.progress(name: entry.name, .taken))
    }
  }

  /// Nil when the parent has taken the status.
  private func untakenEnd(of entry: ProgramEntry) -> EndEntry? {
    guard entry.process.exists,
      let status = journal.ignoring(.gone, try Process.zombieStatus(of: entry.process.pid)) ?? nil
    else { return nil }
    return entry.end(status)
  }

  func awaitedEnded(_ process: ProcessIdentity) {
    guard let (found, pidfd) = awaited.take(process) else { return }
    var entry = found
    if let status = endStatus(of: process.pid, pidfd) { entry.exit = entry.end(status) }
    takeBack(entry)
    installed.installAnew(entry.name)
  }

  private func over(_ end: EndEntry) {
    ledger.note(.ended(end))
    var entry = Journal.Entry(end)
    entry.origin = .own
    journal.note(entry)
  }

  private func adopt(_ entry: ProgramEntry, as command: CommandEntry, exit: EndEntry?) -> Bool {
    guard let rules = CommandRules(command), let (pid, pidfd) = process(of: entry) else { return false }
    var registration = Registration(rules.run, name: entry.name)
    registration.isAdopted = rules.adoption != nil
    registration.resumes = registration.sleepsByItself ? .background : nil
    registration.isFreezeExempt = command.isFreezeExempt
    registration.keepAliveSince = command.startedAt.map(clock.moment(atBoottime:))
    registration.keepAliveLastRun = command.keepAliveRanAt.map(clock.moment(atBoottime:))
    registration.fetchedAt = (command.fetchedAt ?? command.startedAt).map(clock.moment(atBoottime:))
    registration.ending = command.ending
    registration.askedToEnd = command.askedToEndAt.map(clock.moment(atBoottime:))
    let state = CommandState(
      rules, startedAt: command.startedAt,
      keepAliveRanAt: command.keepAliveRanAt, fetchedAt: command.fetchedAt)
    var seed = ProgramSeed(
      name: entry.name, kind: .command(state),
      suspender: suspenders.suspender(restored: pid, pidfd, cgroup: entry.cgroup), pid: pid, pidfd: pidfd)
    seed.process = entry.process
    guard let program = admit(seed, registration) else { return false }
    program.returned(until: seenAt + policy.returnTime.nanoseconds, speaks: command.speaks)
    program.ends(as: command.endWord)
    freezer.expectTrial(of: program.id)
    // The command's connection broke with the old daemon; its parent attaches again, and the loss is no
    // hang-up.
    begins(program, registration, isDetached: true)
    if options.restarts == 0 {
      journal.note(program: entry.name, what: "returned", .init(.outlivedDaemon, pid: pid))
    }
    if let exit {
      program.leaderEnded(exit.status)
      if case .cgroup(let cgroup) = program.suspender { checkLastProcess(program, cgroup) }
    }
    return true
  }

  /// Where the first process has ended, another one of the command's cgroup.
  private func process(of entry: ProgramEntry) -> (pid: Int32, pidfd: DescriptorBox)? {
    if !entry.process.hasEnded, let pidfd = entry.process.open() { return (entry.process.pid, pidfd) }
    guard let path = entry.cgroup, let pids = try? Cgroup.open(at: path).processes() else { return nil }
    return pids.lazy.compactMap { pid in
      (try? DescriptorBox(Process.pidfdOpen(pid))).map { (pid, $0) }
    }.first
  }
}

extension NotificationRecord {
  fileprivate var goesByLocalZone: Bool {
    if case .calendar(_, let zone) = repeats { zone.name == nil } else { false }
  }
}

extension ProgramEntry {
  fileprivate func end(_ status: ExitStatus = .unknown) -> EndEntry {
    EndEntry(name: name, at: Clock.realtime(), process: process, status: status)
  }
}
