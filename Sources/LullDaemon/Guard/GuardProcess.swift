import LullChannel
import LullEngine
import LullSystem
import LullWire

/// The life of lull-guard as lulld sees it. A guard that died is replaced. Moments are nanoseconds of
/// CLOCK_BOOTTIME.
struct GuardProcess {
  /// The guard that thaws the programs should this process die.
  private enum Standing {
    /// There is no guard, and none is to be started.
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
  /// The start of a guard that can see when events wait in the epoll set of this number.
  typealias Launcher = (_ epoll: Int32, _ program: Program) throws(SystemError) -> Candidate

  /// The program of a guard that is started.
  enum Program {
    case installed
    /// That of this process, also where its file is gone: the installed one ends again and again.
    case own
  }

  private let launcher: Launcher
  private var standing: Standing
  /// The guard that the present one is to become.
  private var successor: Candidate?
  private var deaths: Backoff
  private var program = Program.installed
  private var ending = EndingHelpers()

  init(
    _ first: Candidate?, policy: SupervisionPolicy, journal: Journal, reactor: DaemonReactor,
    launcher: @escaping Launcher
  ) {
    (self.policy, self.journal, self.reactor, self.launcher) = (policy, journal, reactor, launcher)
    standing = first.map(Standing.expected) ?? .nobody
    deaths = Backoff(policy)
  }

  private var candidate: Candidate? {
    switch standing {
    case .expected(let candidate), .watched(let candidate): candidate
    case .nobody, .missing: nil
    }
  }

  var link: MessageChannel? { candidate?.link }

  var pid: Int32? { candidate?.process?.pid }

  /// True when the guard has said that it watches.
  var isWatching: Bool { if case .watched = standing { true } else { false } }

  /// Watches the link to the first guard.
  func watchFirst() throws(SystemError) { try link?.watch(in: reactor, as: .guardian) }

  /// True when there is no guard, and one is to be started.
  var isMissing: Bool { if case .missing = standing { true } else { false } }

  /// True when the guard would thaw a program that is frozen now if this process died. A guard that is
  /// stopped is continued first, which does no harm to one that runs.
  func mayFreeze() -> Bool {
    proceed()
    return switch standing {
    case .nobody, .watched: true
    case .expected, .missing: false
    }
  }

  /// Takes note that the guard has said that it watches. Returns true for one that an upgrade waits for.
  mutating func begins() -> Bool {
    guard case .expected(var candidate) = standing else { return false }
    let (isReplacement, isSuccessor) = (candidate.execStatus != nil, candidate.isSuccessor)
    (candidate.execStatus, candidate.isSuccessor) = (nil, false)
    standing = .watched(candidate)
    if isReplacement { journal.note(at: Clock.realtime(), program: nil, what: "guard-replaced") }
    return isSuccessor
  }

  // MARK: The guard's upgrade

  /// Asks the guard to become the lull-guard of a folder. Its link from then on goes to it with the request,
  /// so that nothing that is on its way on the old one is lost to the new one.
  mutating func become(in folder: String) throws(SystemError) {
    guard case .watched(let candidate) = standing else { return }
    let (own, other) = try UnixSocket.pair()
    successor = Candidate(
      link: MessageChannel(guardLink: own), process: candidate.process, since: Clock.boottime(),
      isSuccessor: true)
    candidate.link.tell(Message(.become).adding(.folder, folder), descriptor: other)
  }

  /// True while an upgrade waits for the guard.
  var isBecoming: Bool {
    if case .expected(let candidate) = standing { candidate.isSuccessor } else { successor != nil }
  }

  /// Takes note that the guard goes on as it is.
  mutating func staysAsItIs() { successor = nil }

  /// The old link has ended: goes on with that of the guard that the old one has become. False when there is
  /// none.
  mutating func goOnWithSuccessor() -> Bool {
    guard let successor, let old = link else { return false }
    self.successor = nil
    old.unwatch(in: reactor)
    guard journal.ignoring([], try successor.link.watch(in: reactor, as: .guardian)) != nil else {
      return false
    }
    standing = .expected(successor)
    return true
  }

  /// Takes note that the guard is gone. Returns true when another one is to be started at once, and not later
  /// because guards flap.
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
    standing = .missing(until: now + wait)
    // A program that cannot guard is no reason to go without a guard.
    program = wait > 0 && program == .installed ? .own : .installed
    if wait > 0 { journal.note(at: Clock.realtime(), program: nil, what: "guard-missing") }
    return wait == 0
  }

  /// The moment of the next deadline.
  var deadline: Int64? {
    switch standing {
    case .missing(let moment): moment
    case .expected(let candidate):
      candidate.execStatus == nil && !candidate.isSuccessor
        ? nil : candidate.since + policy.guardBeginning.nanoseconds
    case .watched, .nobody: nil
    }
  }

  /// Kills a guard that has not said for long that it watches.
  func kill() {
    guard let process = candidate?.process else { return }
    journal.ignoring(.ended, try process.send(Signal.kill))
  }

  /// Starts another guard; nil when it cannot be started, and is tried again later.
  mutating func launch() -> HelperProcess? {
    do {
      let candidate = try launcher(reactor.raw, program)
      try candidate.link.watch(in: reactor, as: .guardian)
      standing = .expected(candidate)
      return candidate.process
    } catch {
      standing = .missing(until: Clock.boottime() + deaths.next(after: 0))
      StandardError.say("lulld: no new lull-guard: \(error); every program is woken")
      journal.note(at: Clock.realtime(), program: nil, what: "guard-missing", detail: "\(error)")
      return nil
    }
  }

  /// A child of this process has ended or was stopped.
  mutating func childrenChanged() {
    ending.reap(journal)
    guard let process = candidate?.process else { return }
    journal.ignoring(.ended, try process.continueIfStopped())
  }

  /// Watches for room while something waits for it. A guard that does not read may be stopped, of which the
  /// kernel does not tell its child.
  func watchForRoom() {
    guard let link else { return }
    journal.ignoring(.removed, try link.updateInterest(in: reactor))
    if !link.isDone { proceed() }
  }

  /// Continues the guard, which may be stopped.
  func proceed() {
    guard case .watched(let candidate) = standing, let process = candidate.process else { return }
    journal.ignoring(.ended, try process.send(Signal.continue))
  }
}
