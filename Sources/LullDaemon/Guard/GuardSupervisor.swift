import LullChannel
import LullEngine
import LullGuard
import LullSystem
import LullWire

/// The owner of lull-guard in lulld. Without a guard, nobody would thaw the programs if this process died:
/// then no program is put to sleep, and those that sleep are woken.
final class GuardSupervisor {
  private enum State {
    case nobody
    /// A guard that has not said yet that it watches.
    case expected(GuardProcess)
    case watched(GuardProcess)
    /// A guard is started at this moment. Nothing is put to sleep until then.
    case missing(until: Int64)
  }

  private let policy: SupervisionPolicy
  private let journal: Journal
  private let reactor: DaemonReactor
  private let launcher: GuardProcess.Launcher
  private var state: State
  private var change: GuardChange?
  private var deaths: Backoff
  private var program = GuardProcess.Program.installed
  private var ending = EndingHelpers()
  /// Until then the guard may tell of the lines of the daemon before this one; nil once it has told of all.
  private var restoringUntil: Int64?
  private var retryAt: Int64?

  /// `first` is the guard that started this process.
  init(
    _ first: GuardProcess?, policy: SupervisionPolicy, journal: Journal, reactor: DaemonReactor,
    launcher: @escaping GuardProcess.Launcher
  ) {
    (self.policy, self.journal, self.reactor, self.launcher) = (policy, journal, reactor, launcher)
    state = first.map(State.expected) ?? .nobody
    deaths = Backoff(policy)
    if first != nil { restoringUntil = Clock.boottime() + policy.restoring.nanoseconds }
  }

  private var current: GuardProcess? {
    switch state {
    case .expected(let current), .watched(let current): current
    case .nobody, .missing: nil
    }
  }

  private var link: MessageChannel? { current?.link }

  var isThere: Bool { link != nil }

  /// Nil while there is no guard, or it is in another pid namespace.
  var pid: Int32? { current?.process?.pid }

  var isWatching: Bool { if case .watched = state { true } else { false } }

  private var isMissing: Bool { if case .missing = state { true } else { false } }

  /// True while the guard may still tell of lines of the daemon before this one: no client is served.
  var isRestoring: Bool { restoringUntil != nil }

  /// True when the guard would thaw the programs if this process died. A guard that is stopped is continued
  /// first, which does no harm to one that runs.
  func mayFreeze() -> Bool {
    proceed()
    return switch state {
    case .nobody, .watched: true
    case .expected, .missing: false
    }
  }

  // MARK: Messages to the guard

  func tell(_ verb: GuardVerb) { tell(Message(verb)) }

  func tell(_ message: Message, descriptor: DescriptorBox? = nil) {
    link?.tell(message, descriptor: descriptor)
  }

  func tellAnew(_ tell: () -> Void) { link?.tellAnew(tell) }

  // MARK: Messages of the guard

  func watchFirst() throws(SystemError) { try link?.watch(in: reactor, as: .guardian) }

  /// A guard that gives way leaves when the new one has everything.
  func flush() -> [GuardOutcome] {
    guard let link else { return [] }
    link.flush()
    retryAt = link.needsRetry ? Clock.boottime() + policy.linkRetry.nanoseconds : nil
    if link.takeRefusal() { return [.storeAll] }
    if link.isDone { tellOtherToLeave() }
    return []
  }

  func sendsOn(until limit: Int64) -> Bool {
    guard let link, !link.isDone, Clock.boottime() < limit else { return false }
    proceed()
    _ = try? Socket.poll(link.socket.raw, .writable, timeoutMilliseconds: 20)
    return true
  }

  func receive(into buffer: inout ReceiveBuffer) { _ = link?.receive(into: &buffer) }

  /// The outcomes of a message, or of the guard's end, are carried out before the next message is read.
  func next() -> [GuardOutcome]? {
    guard let link else { return nil }
    guard let (message, descriptor) = link.nextMessage() else { return link.inputEnd == nil ? nil : gone() }
    return take(message, descriptor)
  }

  private func take(_ message: Message, _ descriptor: DescriptorBox?) -> [GuardOutcome] {
    switch GuardVerb(rawValue: message.verb) {
    case .keepLine:
      if let line = try? KeptLine(message), let descriptor { return [.keepLine(line, descriptor)] }
    case .sound:
      let pid = (try? message.integer(.pid)).flatMap(Int32.init(exactly:))
      if let descriptor { return [.sound(descriptor, pid: pid)] }
    case .full:
      journal.note(
        program: message[.name], what: "guard-full", detail: message[.detail])
    case .thawed:
      journal.note(program: nil, what: Journal.Entry.guardThaw)
      return [.wakeSleepers]
    case .begin:
      begins()
      restoringUntil = nil
    case .anew, .dropLine, .upgrading, .stopping, .leave, nil: break
    }
    return []
  }

  // MARK: The life of the guard

  /// Another guard is started at once, or later when guards flap; in an upgrade the old one may still be
  /// there.
  private func gone() -> [GuardOutcome] {
    (restoringUntil, retryAt) = (nil, nil)
    if goBack() {
      return [.launched(pid: pid ?? 0), .storeAll, .unchanged(.init(.guardEndedWatching))]
    }
    let isChanging = endChange()
    let isDue = ended()
    return [isDue ? .launch : .wakeSleepers] + (isChanging ? [.unchanged(.init(.guardEnded))] : [])
  }

  var deadline: Int64? {
    [restoringUntil, startDeadline, changeDeadline, retryAt].compactMap(\.self).min()
  }

  private var startDeadline: Int64? {
    switch state {
    case .missing(let moment): moment
    case .expected(let current):
      current.execStatus == nil ? nil : current.since + policy.guardBeginning.nanoseconds
    case .watched, .nobody: nil
    }
  }

  func timeIsUp() -> [GuardOutcome] {
    let now = Clock.boottime()
    if let limit = restoringUntil, limit <= now { restoringUntil = nil }
    if let limit = changeDeadline, limit <= now {
      return giveUpOther().map { [.unchanged($0)] } ?? []
    }
    guard let startDeadline, startDeadline <= now else { return [] }
    guard !isMissing else { return [.launch] }
    kill()
    return gone()
  }

  private func begins() {
    guard case .expected(var current) = state else { return }
    let isReplacement = current.execStatus != nil
    current.execStatus = nil
    state = .watched(current)
    if isReplacement { journal.note(program: nil, what: "guard-replaced") }
  }

  /// Returns true when another guard is to be started at once, and not later because guards flap.
  private func ended() -> Bool {
    guard let current else { return false }
    current.link.unwatch(in: reactor)
    if let error = current.startFailure(journal) { Complaint.guardNotStarted(error).say() }
    if let process = current.process { ending.add(process) }
    ending.reap(journal)
    let now = Clock.boottime()
    let wait = deaths.next(after: now - current.since)
    state = .missing(until: now + wait)
    // A program that cannot guard is no reason to go without a guard.
    program = wait > 0 && program == .installed ? .own : .installed
    if wait > 0 { journal.note(program: nil, what: "guard-missing") }
    return wait == 0
  }

  private func kill() {
    guard let process = current?.process else { return }
    journal.ignoring(.ended, try process.send(Signal.kill))
  }

  func launch() -> [GuardOutcome] {
    do {
      let current = try launcher(GuardProcess.Start(program: program, epoll: reactor.raw))
      try current.link.watch(in: reactor, as: .guardian)
      state = .expected(current)
      return [.launched(pid: pid ?? 0), .storeAll]
    } catch {
      state = .missing(until: Clock.boottime() + deaths.next(after: 0))
      Complaint.guardNotStarted(error).say()
      journal.note(program: nil, what: "guard-missing", detail: "\(error)")
      return [.wakeSleepers]
    }
  }

  func childrenChanged() {
    ending.reap(journal)
    guard let process = current?.process else { return }
    journal.ignoring(.ended, try process.continueIfStopped())
  }

  /// A guard that does not read may be stopped, of which the kernel does not tell its child.
  func watchForRoom() {
    guard let link else { return }
    journal.ignoring(.removed, try link.updateInterest(in: reactor))
    if !link.isDone { proceed() }
  }

  private func proceed() {
    guard case .watched(let current) = state, let process = current.process else { return }
    journal.ignoring(.ended, try process.send(Signal.continue))
  }

  func notes() -> [NoteItem] { isMissing ? [NoteItem(.guardMissing)] : [] }

  // MARK: The change to another guard, in an upgrade

  func receiveOfOther(into buffer: inout ReceiveBuffer) { _ = otherLink?.receive(into: &buffer) }

  func nextOfOther() -> [GuardOutcome]? {
    guard let link = otherLink else { return nil }
    guard let (message, descriptor) = link.nextMessage() else {
      return link.inputEnd == nil ? nil : [otherEnded().map { .unchanged($0) } ?? .replaced]
    }
    guard message.verb == GuardVerb.begin.rawValue else { return take(message, descriptor) }
    return goOver() ? [.launched(pid: pid ?? 0), .storeAll] : []
  }

  /// The link to the guard that does not guard: the new one while it is tried, the old one after that.
  private var otherLink: MessageChannel? { change?.other.link }

  private var changeDeadline: Int64? { change.flatMap { $0.until == .max ? nil : $0.until } }

  /// The present guard gives way to that of the folder; `replaced` or `unchanged` follows.
  func change(to folder: String) throws(SystemError) {
    guard change == nil, case .watched(let old) = state else { return }
    let start = GuardProcess.Start(
      program: .of(folder: folder), epoll: reactor.raw, predecessor: old.process?.pidfd.raw)
    let new = try launcher(start)
    try new.link.watch(in: reactor, as: .otherGuard)
    change = GuardChange(to: new, until: Clock.boottime() + policy.guardChange.nanoseconds)
  }

  private func goOver() -> Bool {
    guard let change, case .trying = change.state, case .watched(let old) = state else { return false }
    var new = change.other
    new.execStatus = nil
    state = .watched(new)
    self.change = GuardChange(from: old, until: Clock.boottime() + policy.guardChange.nanoseconds)
    watchAnew()
    return true
  }

  /// The new guard has ended before the old one was told to leave, so the old one guards again. Returns false
  /// where there is no such old one.
  private func goBack() -> Bool {
    guard let change, case .going = change.state, case .watched(let new) = state else { return false }
    end(new)
    state = .watched(change.other)
    self.change = nil
    watchAnew()
    return true
  }

  private func watchAnew() {
    for link in [link, otherLink].compactMap(\.self) { link.unwatch(in: reactor) }
    journal.ignoring([], try link?.watch(in: reactor, as: .guardian))
    journal.ignoring([], try otherLink?.watch(in: reactor, as: .otherGuard))
  }

  /// The guard has been told everything: the old one is not needed any more.
  private func tellOtherToLeave() {
    change?.tellToLeave(journal)
    journal.ignoring(.removed, try otherLink?.updateInterest(in: reactor))
  }

  /// Nil where the change is complete, else the reason why the new guard is gone.
  private func otherEnded() -> Explanation? {
    guard let change else { return nil }
    end(change.other)
    self.change = nil
    guard case .trying = change.state else {
      journal.note(program: nil, what: "guard-replaced")
      return nil
    }
    let failure = change.other.startFailure(journal)
    return failure.map { .init(.upgradeFailed, error: "\($0)") } ?? .init(.guardEndedEarly)
  }

  private func endChange() -> Bool {
    guard change != nil else { return false }
    change?.giveUp(journal)
    _ = otherEnded()
    return true
  }

  /// The end of an old guard is noticed by its link.
  private func giveUpOther() -> Explanation? {
    guard let state = change?.state else { return nil }
    change?.giveUp(journal)
    guard case .trying = state else { return nil }
    _ = otherEnded()
    return .init(.guardSilent, seconds: policy.guardChange.seconds)
  }

  private func end(_ other: GuardProcess) {
    other.link.unwatch(in: reactor)
    other.link.close()
    if let process = other.process { ending.add(process) }
    ending.reap(journal)
  }
}

enum GuardOutcome {
  case keepLine(KeptLine, DescriptorBox)
  /// The way to the lull-audio of the daemon before this one, which plays on, and its number.
  case sound(DescriptorBox, pid: Int32?)
  /// The guard has thawed every program, or no guard would thaw them if this process died.
  case wakeSleepers
  case storeAll
  case launch
  case launched(pid: Int32)
  /// The guard of the upgrade watches, and the one before has left.
  case replaced
  /// The guard of the upgrade does not serve, for this reason; the one before goes on.
  case unchanged(Explanation)
}
