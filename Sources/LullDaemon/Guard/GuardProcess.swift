import LullChannel
import LullEngine
import LullGuard
import LullSystem

/// The life of lull-guard as lulld sees it. A guard that died is replaced. Moments are nanoseconds of
/// CLOCK_BOOTTIME.
struct GuardProcess {
  private enum State {
    case nobody
    /// A guard that has not said yet that it watches.
    case expected(Candidate)
    case watched(Candidate)
    /// A guard is started at this moment. Nothing is put to sleep until then.
    case missing(until: Int64)
  }

  private let policy: SupervisionPolicy
  private let journal: Journal
  private let reactor: DaemonReactor
  typealias Launcher = (_ start: Start) throws(SystemError) -> Candidate

  enum Program: Equatable {
    case installed
    /// The program of this process, even when its file is gone, for when the installed one ends again and
    /// again.
    case own
    case of(folder: String)
  }

  private let launcher: Launcher
  private var state: State
  private var change: GuardChange?
  private var deaths: Backoff
  private var program = Program.installed
  private var ending = EndingHelpers()

  init(
    _ first: Candidate?, policy: SupervisionPolicy, journal: Journal, reactor: DaemonReactor,
    launcher: @escaping Launcher
  ) {
    (self.policy, self.journal, self.reactor, self.launcher) = (policy, journal, reactor, launcher)
    state = first.map(State.expected) ?? .nobody
    deaths = Backoff(policy)
  }

  private var candidate: Candidate? {
    switch state {
    case .expected(let candidate), .watched(let candidate): candidate
    case .nobody, .missing: nil
    }
  }

  var link: MessageChannel? { candidate?.link }

  var pid: Int32? { candidate?.process?.pid }

  var isWatching: Bool { if case .watched = state { true } else { false } }

  func watchFirst() throws(SystemError) { try link?.watch(in: reactor, as: .guardian) }

  var isMissing: Bool { if case .missing = state { true } else { false } }

  /// True when the guard would thaw the programs if this process died. A guard that is stopped is continued
  /// first, which does no harm to one that runs.
  func mayFreeze() -> Bool {
    proceed()
    return switch state {
    case .nobody, .watched: true
    case .expected, .missing: false
    }
  }

  mutating func begins() {
    guard case .expected(var candidate) = state else { return }
    let isReplacement = candidate.execStatus != nil
    candidate.execStatus = nil
    state = .watched(candidate)
    if isReplacement { journal.note(program: nil, what: "guard-replaced") }
  }

  /// Returns true when another guard is to be started at once, and not later because guards flap.
  mutating func ended() -> Bool {
    guard let candidate else { return false }
    candidate.link.unwatch(in: reactor)
    if let start = candidate.execStatus,
      case .failed(let error)? = journal.ignoring([], try Process.execResult(start.raw))
    {
      StandardError.say("lulld: no new lull-guard: \(error)")
    }
    if let process = candidate.process { ending.add(process) }
    ending.reap(journal)
    let now = Clock.boottime()
    let wait = deaths.next(after: now - candidate.since)
    state = .missing(until: now + wait)
    // A program that cannot guard is no reason to go without a guard.
    program = wait > 0 && program == .installed ? .own : .installed
    if wait > 0 { journal.note(program: nil, what: "guard-missing") }
    return wait == 0
  }

  var deadline: Int64? {
    switch state {
    case .missing(let moment): moment
    case .expected(let candidate):
      candidate.execStatus == nil ? nil : candidate.since + policy.guardBeginning.nanoseconds
    case .watched, .nobody: nil
    }
  }

  func kill() {
    guard let process = candidate?.process else { return }
    journal.ignoring(.ended, try process.send(Signal.kill))
  }

  mutating func launch() -> HelperProcess? {
    do {
      let candidate = try launcher(Start(program: program, epoll: reactor.raw))
      try candidate.link.watch(in: reactor, as: .guardian)
      state = .expected(candidate)
      return candidate.process
    } catch {
      state = .missing(until: Clock.boottime() + deaths.next(after: 0))
      StandardError.say("lulld: no new lull-guard: \(error); every program is woken")
      journal.note(program: nil, what: "guard-missing", detail: "\(error)")
      return nil
    }
  }

  mutating func childrenChanged() {
    ending.reap(journal)
    guard let process = candidate?.process else { return }
    journal.ignoring(.ended, try process.continueIfStopped())
  }

  /// A guard that does not read may be stopped, of which the kernel does not tell its child.
  func watchForRoom() {
    guard let link else { return }
    journal.ignoring(.removed, try link.updateInterest(in: reactor))
    if !link.isDone { proceed() }
  }

  func proceed() {
    guard case .watched(let candidate) = state, let process = candidate.process else { return }
    journal.ignoring(.ended, try process.send(Signal.continue))
  }

  // MARK: The change to another guard, in an upgrade

  /// The link to the guard that does not guard: the new one while it is tried, the old one after that.
  var otherLink: MessageChannel? { change?.other.link }

  var changeDeadline: Int64? { change.flatMap { $0.until == .max ? nil : $0.until } }

  mutating func change(to folder: String) throws(SystemError) {
    guard change == nil, case .watched(let old) = state else { return }
    let start = Start(program: .of(folder: folder), epoll: reactor.raw, former: old.process?.pidfd.raw)
    let new = try launcher(start)
    try new.link.watch(in: reactor, as: .otherGuard)
    change = GuardChange(to: new, until: Clock.boottime() + policy.guardChange.nanoseconds)
  }

  mutating func goOver() -> Bool {
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
  mutating func goBack() -> Bool {
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
  mutating func tellOtherToLeave() {
    change?.tellToLeave(journal)
    journal.ignoring(.removed, try otherLink?.updateInterest(in: reactor))
  }

  /// Nil where the change is complete, else the reason why the new guard is gone.
  mutating func otherEnded() -> String? {
    guard let change else { return nil }
    end(change.other)
    self.change = nil
    guard case .trying = change.state else {
      journal.note(program: nil, what: "guard-replaced")
      return nil
    }
    return change.failure(journal) ?? "lull-guard ended before it watched"
  }

  mutating func endChange() -> Bool {
    guard change != nil else { return false }
    change?.giveUp(journal)
    _ = otherEnded()
    return true
  }

  /// The end of an old guard is noticed by its link.
  mutating func giveUpOther() -> String? {
    guard let state = change?.state else { return nil }
    change?.giveUp(journal)
    guard case .trying = state else { return nil }
    _ = otherEnded()
    return "lull-guard did not say within \(Int(policy.guardChange.seconds)) s that it watches"
  }

  private mutating func end(_ candidate: Candidate) {
    candidate.link.unwatch(in: reactor)
    candidate.link.close()
    if let process = candidate.process { ending.add(process) }
    ending.reap(journal)
  }

  // MARK: The start of a guard

  /// A guard, or a process that is to become one.
  struct Candidate {
    let link: MessageChannel
    let process: HelperProcess?
    let since: Int64
    /// Tells whether a process that lulld started in place of another guard could be executed.
    var execStatus: DescriptorBox?
  }

  struct Start {
    let program: Program
    /// By the epoll set of this process the guard sees whether events wait.
    let epoll: Int32
    var former: Int32?
  }

  /// The new lull-guard takes over this process. It serves no clients: it keeps `listener` for the next
  /// lulld.
  static func launch(
    _ start: Start, _ options: DaemonOptions, listener: Int32
  ) throws(SystemError) -> Candidate {
    let (own, other) = try UnixSocket.pair()
    let this = try Process.pidfdOpen(Identity.pid())
    // lulld is a guard too, where nobody guards it.
    let path =
      switch start.program {
      case .installed: try Process.sibling(DaemonOptions.guardName)
      case .own: "/proc/self/exe"
      case .of(let folder): "\(folder)/\(DaemonOptions.guardName)"
      }
    let replaces = start.former == nil ? [] : ["--replaces"]
    var request = SpawnRequest([path, "--adopt"] + replaces + options.shared)
    request.environment = Identity.allEnvironment()
    request.passed = [
      .init(listener, as: DaemonOptions.listenerNumber), .init(other.raw, as: DaemonOptions.linkNumber),
      .init(this.raw, as: DaemonOptions.childNumber), .init(start.epoll, as: DaemonOptions.epollNumber),
    ]
    request.passed += options.lockPassed
    if let former = start.former { request.passed.append(.init(former, as: DaemonOptions.formerNumber)) }
    request.group = .newSession
    request.openFileLimit = options.openFileLimit
    let (process, execStatus) = try HelperProcess.spawn(request)
    return Candidate(
      link: MessageChannel(guardLink: own), process: process, since: Clock.boottime(), execStatus: execStatus)
  }

  /// The guard that started this process has made the pair of sockets. A guard in another pid namespace
  /// cannot be signalled from this one.
  static func first(_ link: DescriptorBox, _ journal: Journal) -> Candidate {
    var process: HelperProcess?
    if let pidfd = journal.ignoring(.ended, DescriptorBox(try UnixSocket.peerPidfd(of: link.raw))),
      Process.isNumbered(pidfd.raw), let peer = journal.ignoring([], try UnixSocket.peer(of: link.raw))
    {
      process = HelperProcess(pid: peer.pid, pidfd: pidfd)
    }
    return Candidate(link: MessageChannel(guardLink: link), process: process, since: Clock.boottime())
  }
}
