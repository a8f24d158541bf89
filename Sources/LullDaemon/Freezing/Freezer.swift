import LullChannel
import LullEngine
import LullSystem

/// The state of each program's freeze, and the steps that are still to be done for it.
final class Freezer {
  enum Outcome {
    case nothing
    /// Nothing of the program runs: the requests that it has still sent are to be read. See `heard`.
    case hear
    case refused(Event)
  }

  private let reactor: DaemonReactor
  private let releases: ReleaseQueue
  private let journal: Journal
  private var programs = AppTable<FreezeRecord>()
  private var queue = FreezeQueue()
  /// Programs whose duplicates are to be released in this turn, after every thaw is written.
  private var thawed: [AppID] = []
  private var trials = Trials()

  init(_ reactor: DaemonReactor, _ releases: ReleaseQueue, journal: Journal) {
    (self.reactor, self.releases, self.journal) = (reactor, releases, journal)
  }

  private func enter(_ state: FreezeRecord.State, _ id: AppID) {
    programs.update(id, else: FreezeRecord()) { $0.state = state }
  }

  // MARK: Freezing

  func decide(_ id: AppID, _ ticket: Ticket) {
    enter(.decided(ticket), id)
    queue.add(.begin(id, ticket))
  }

  /// Notes that the program is asked for its descriptors, because the daemon has no ptrace rights over it.
  func prepare(_ id: AppID, _ ticket: Ticket) { enter(.preparing(ticket), id) }

  func beginLook(at id: AppID, _ ticket: Ticket) { enter(.looking(ProgramLook(ticket)), id) }

  /// Says when the freeze may be written: first freezes of restored programs come one at a time.
  func turn(of id: AppID, _ ticket: Ticket) -> Trials.Turn {
    let turn = trials.turn(of: id, ticket)
    if case .later = turn { enter(.decided(ticket), id) }
    return turn
  }

  func request(_ id: AppID, ticket: Ticket, suspender: Suspender) -> Outcome {
    enter(.requested(ticket, suspender, wait: FreezeQueue.firstRecheck), id)
    do {
      try suspender.freeze()
      if try suspender.confirmFrozen() {
        queue.add(.confirm(id, ticket))
      } else {
        recheck(id, ticket: ticket, suspender: suspender, after: FreezeQueue.firstRecheck)
      }
      return .nothing
    } catch {
      return .refused(.freezeRefused(id, ticket, .failed, .text("\(error)")))
    }
  }

  /// The freeze is slow, and until it is confirmed no line is watched. The notification of cgroup.events can
  /// come 10 ms late. The engine's limit bounds the tries.
  private func recheck(_ id: AppID, ticket: Ticket, suspender: Suspender, after wait: Int64) {
    enter(.requested(ticket, suspender, wait: queue.recheck(id, ticket, after: wait)), id)
  }

  func confirm(_ id: AppID, _ ticket: Ticket) -> Outcome {
    guard case .requested(ticket, let suspender, let wait)? = programs[id]?.state else { return .nothing }
    guard (try? suspender.isFrozen()) == true else {
      recheck(id, ticket: ticket, suspender: suspender, after: wait)
      return .nothing
    }
    return .hear
  }

  /// Returns false when the engine has taken the freeze back because of the program's last requests.
  func heard(_ id: AppID, _ ticket: Ticket) -> Bool {
    guard case .requested(ticket, let suspender, _)? = programs[id]?.state else { return false }
    enter(.observing(ticket, suspender), id)
    return true
  }

  // MARK: Waiting steps

  var hasWork: Bool { !queue.isEmpty }
  var nextRecheck: Int64? { queue.nextRecheck }
  var putOffCount: Int { queue.putOffCount }

  func nextStep(of id: AppID? = nil) -> FreezeStep? { queue.nextStep(of: id) }

  func recheckDue() { queue.recheckDue() }

  func putOff(_ id: AppID, _ ticket: Ticket) { queue.putOff(id, ticket) }

  func nextPutOff() -> AppID? {
    guard let (id, ticket) = queue.nextPutOff(), programs[id]?.ticket == ticket else { return nil }
    return id
  }

  func takePutOff(_ id: AppID) -> Bool { queue.takePutOff(id) }

  // MARK: Falling asleep

  func beginArming(_ id: AppID, ticket: Ticket, plan: WatchPlan) -> Bool {
    guard case .observing(ticket, let suspender)? = programs[id]?.state else { return false }
    enter(.arming(ticket, suspender, wakesAtOnce: plan.wakesAtOnce), id)
    return true
  }

  /// Every line is watched; from now on the processes are watched too, and the cgroup for a thaw by somebody
  /// else.
  func fallAsleep(_ id: AppID, watching processes: [DescriptorBox]) throws(SystemError) -> [Event] {
    guard case .arming(let ticket, let suspender, let wakesAtOnce)? = programs[id]?.state else { return [] }
    for pidfd in processes {
      let registration = try reactor.add(pidfd.raw, [.readable, .oneShot], as: .child(id))
      programs.update(id) { $0.watched.append((pidfd, registration)) }
    }
    let thaw = try watchForThaw(of: id, suspender)
    enter(.asleep(suspender, wakesAtOnce: wakesAtOnce), id)
    return (thaw.map { [$0] } ?? []) + [.frozen(id, ticket)]
  }

  /// The notification of the program's own freeze has mostly come by now: reading the file here saves a turn
  /// for it. The notification may also come 10 ms late.
  private func watchForThaw(of id: AppID, _ suspender: Suspender) throws(SystemError) -> Event? {
    guard case .cgroup(let cgroup) = suspender else { return nil }
    let isFrozen = try cgroup.state().frozen
    try watchEvents(of: cgroup, id)
    // The change that was read above is not notified again.
    return isFrozen ? nil : thaw(of: id, cgroup)
  }

  /// The watch fires once, at the next change.
  func watchEvents(of cgroup: Cgroup, _ id: AppID) throws(SystemError) {
    let interest: Interest = [.priority, .oneShot]
    if let events = programs[id]?.events { return try reactor.modify(events, interest) }
    let events = try reactor.add(cgroup.events, interest, as: .cgroup(id))
    programs.update(id, else: FreezeRecord()) { $0.events = events }
  }

  func unwatchEvents(of id: AppID) {
    guard let events = programs[id]?.events else { return }
    reactor.remove(events)
    programs.update(id) { $0.events = nil }
  }

  /// Somebody else may have thawed the program.
  func cgroupChanged(_ id: AppID) -> Event? {
    guard case .cgroup(let cgroup)? = programs[id]?.holder else { return nil }
    do {
      // The file is read first: the watch tells only changes after the last read.
      _ = try cgroup.state()
      try watchEvents(of: cgroup, id)
    } catch {
      // The cgroup's directory is gone, and its processes with it.
      return nil
    }
    return thaw(of: id, cgroup)
  }

  /// `frozen 0` alone is no thaw: a thread that was observed, or that has just come, is not yet still again.
  /// The thaw of an ancestor is no thaw either: it leaves the program's own cgroup as it is.
  private func thaw(of id: AppID, _ cgroup: Cgroup) -> Event? {
    journal.ignoring(.removed, try cgroup.isFreezeAsked()) == false ? .unfrozen(id) : nil
  }

  // MARK: Thawing

  /// Thaws at once: the sender of the byte waits for this write. The engine has said in its plan that any
  /// readiness wakes the program.
  func thawAtOnce(_ id: AppID) -> Bool { programs.update(id) { $0.thawAtOnce() } ?? false }

  /// Writes the thaw and nothing else: the sender of the byte waits for this write.
  func thaw(_ id: AppID, _ suspender: Suspender) throws(SystemError) {
    let state = programs[id]?.state ?? .running
    enter(.running, id)
    thawed.append(id)
    switch state {
    case .decided, .preparing, .looking, .thawedAtOnce: break
    case .running, .requested, .observing, .arming, .asleep: try suspender.thaw()
    }
  }

  /// Kills every process. A frozen process dies of SIGKILL at once; the thaw lets a process in an unfinished
  /// freeze do the same.
  func kill(_ id: AppID, _ suspender: Suspender) {
    journal.ignoring(.gone, try suspender.kill())
    journal.ignoring(.gone, try suspender.thaw())
    enter(.running, id)
    thawed.append(id)
  }

  var hasThawed: Bool { !thawed.isEmpty }

  func nextThawed() -> AppID? {
    while let id = thawed.popLast() { if !isFrozen(id) { return id } }
    return nil
  }

  /// Releases what was watched of the program itself; `keepsEvents`: the end of its last process is waited
  /// for.
  func release(_ id: AppID, keepsEvents: Bool) {
    guard let record = programs[id] else { return }
    for (pidfd, registration) in record.watched { releases.add(pidfd, registration) }
    programs.update(id) { $0.watched = [] }
    // The daemon's own thaw is no news. A registration that is only disarmed still reports errors, and
    // cgroup.events reports everything as an error.
    if !keepsEvents { unwatchEvents(of: id) }
  }

  func forget(_ id: AppID) {
    unwatchEvents(of: id)
    programs[id] = nil
    trials.forget(id)
  }

  func isWatched(_ id: AppID) -> Bool { programs[id]?.watched.isEmpty == false }

  // MARK: Signals, trials

  /// An observation must find the signal taken before the program sleeps.
  func signalled(_ id: AppID, at moment: Int64) {
    programs.update(id, else: FreezeRecord()) { $0.signalledAt = moment }
  }

  func signalledAt(_ id: AppID) -> Int64? { programs[id]?.signalledAt }

  func signalTaken(_ id: AppID) { programs.update(id) { $0.signalledAt = nil } }

  func expectTrial(of id: AppID) { trials.expect(id) }

  /// A first freeze that was not passed is tried again.
  func finishTrial() -> (id: AppID, passed: Bool)? {
    defer { if let (id, ticket) = trials.next() { queue.add(.begin(id, ticket)) } }
    guard let id = trials.underWay else { return nil }
    switch programs[id]?.state ?? .running {
    case .decided, .preparing, .looking, .requested, .observing, .arming: return nil
    case .asleep, .thawedAtOnce:
      trials.finish(passed: true)
      return (id, true)
    case .running:
      trials.finish(passed: false)
      return (id, false)
    }
  }

  // MARK: States

  /// False once the freeze was taken back: a freeze written after that would never be undone.
  func isDecided(_ id: AppID, _ ticket: Ticket) -> Bool {
    if case .decided(ticket)? = programs[id]?.state { true } else { false }
  }

  func isPreparing(_ id: AppID, _ ticket: Ticket) -> Bool {
    if case .preparing(ticket)? = programs[id]?.state { true } else { false }
  }

  func looks(_ id: AppID) -> ProgramLook? {
    if case .looking(let look)? = programs[id]?.state { look } else { nil }
  }

  func observes(_ id: AppID) -> Ticket? {
    if case .observing(let ticket, _)? = programs[id]?.state { ticket } else { nil }
  }

  func arms(_ id: AppID) -> Ticket? {
    if case .arming(let ticket, _, _)? = programs[id]?.state { ticket } else { nil }
  }

  /// True when the program is asleep and any readiness wakes it.
  func wakesAtOnce(_ id: AppID) -> Bool {
    if case .asleep(_, wakesAtOnce: true)? = programs[id]?.state { true } else { false }
  }

  /// True when the program was thawed in this turn and the engine has not been told.
  func isThawed(_ id: AppID) -> Bool {
    if case .thawedAtOnce? = programs[id]?.state { true } else { false }
  }

  func isFrozen(_ id: AppID) -> Bool { programs[id]?.isFrozen == true }

  var frozen: [AppID] { programs.ids.filter(isFrozen) }
}
