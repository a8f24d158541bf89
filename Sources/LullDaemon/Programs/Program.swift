import LullChannel
import LullEngine
import LullSystem
import LullWire

final class Program {
  enum Kind {
    /// The program registered itself, and speaks through the library.
    case library
    case command(CommandState)
    /// The process is heard through Lull and never put to sleep.
    case unmanagedClient
  }

  enum Parting {
    /// The program is over, and so are its lines; with `restarts` another life of it is to begin at once.
    case forGood(restarts: Bool)
    /// The lines are kept for the next start; with `restarts` that comes at once.
    case keepingLines(restarts: Bool)
    /// The program does not take the lines that it got back: another life of it begins without them.
    case leavingLines
  }

  /// A program ends with its last process, not with the first one.
  enum State {
    case running
    /// The first process has ended, others have not.
    case waitingForLast(ExitStatus)
    case ended(ExitStatus)
  }

  let id: AppID
  private(set) var name: String
  private(set) var kind: Kind
  private(set) var state = State.running
  private(set) var suspender: Suspender
  /// As /proc/PID/cgroup says it.
  private(set) var cgroupPath: String?
  private(set) var isKilled = false
  /// The word for the reason of an end that somebody wants.
  private(set) var endWord: OpenWord<EndReason>?
  /// Nil when nobody has asked for its end.
  private(set) var parting: Parting?
  private(set) var keepsLines = false
  /// True for a program that registered before its command had returned.
  private(set) var isComingBack = false
  /// A command that has returned may register until then, on CLOCK_BOOTTIME.
  private var mayRegisterUntil: Int64 = .min
  /// True for a command that had registered under the daemon before this one.
  private var hasSpoken = false
  /// The schemes of links that `run` declared, and those of its last registration.
  private var declaredSchemes: [String] = [], ownSchemes: [String] = []
  private var launch: Launch?
  let pid: Int32
  /// The leader, also when its number is reused; nil where the number means nothing here.
  let process: ProcessIdentity?
  /// The pidfd of the leader.
  let pidfd: DescriptorBox
  private(set) var registration: Slot?
  /// False where pidfd_getfd is refused: the program hands its descriptors over itself.
  let mayTakeDescriptors: Bool

  init(_ seed: ProgramSeed, id: AppID, cgroupPath: String?, mayTakeDescriptors: Bool) {
    self.id = id
    name = seed.name
    kind = seed.kind
    suspender = seed.suspender
    self.cgroupPath = cgroupPath
    pid = seed.pid
    process = seed.process ?? (try? ProcessIdentity.current(seed.pid))
    pidfd = seed.pidfd
    self.mayTakeDescriptors = mayTakeDescriptors
  }

  /// pidfd_getfd checks the ptrace rights before it looks for the number, and no process has this number
  /// open.
  static func mayTakeDescriptors(of pidfd: DescriptorBox) -> Bool {
    do {
      _ = try Process.getDescriptor(pidfd.raw, number: .max)
      return true
    } catch {
      return !error.isNotPermitted
    }
  }

  var schemes: [String] { declaredSchemes + ownSchemes.filter { !declaredSchemes.contains($0) } }

  func parts(_ parting: Parting) {
    self.parting = parting
    switch parting {
    case .forGood(restarts: false): endWord = OpenWord(.quit)
    case .forGood(restarts: true), .keepingLines(restarts: true): endWord = OpenWord(.restarted)
    case .keepingLines(restarts: false): break
    case .leavingLines: endWord = OpenWord(.linesUntaken)
    }
  }

  var leavesLines: Bool { if case .leavingLines = parting { true } else { false } }

  /// Nil for a program whose lines are not kept, or that goes on.
  var endingWithLines: KeptLine.Ending? {
    guard case .keepingLines(let restarts) = parting else { return nil }
    return restarts ? .restart : .purge
  }

  /// Its processes leave only to register anew as a part of their command.
  func comesBack() { isComingBack = true }

  /// Its command has returned, and may register until `moment`, on CLOCK_BOOTTIME.
  func returned(until moment: Int64, speaks: Bool = false) {
    (mayRegisterUntil, hasSpoken) = (moment, speaks)
  }

  /// Until then nobody knows the lines of the command.
  func registersAgain(at now: Int64) -> Bool { hasSpoken && mayRegister(at: now) }

  /// It may be a program on the library that has not found this daemon yet.
  func mayRegister(at now: Int64) -> Bool { now < mayRegisterUntil }

  /// Duplicates of its lines are held beside its own.
  var hasLinesHeld: Bool { if case .keepingLines = parting { true } else { keepsLines } }

  func keepLinesAfterCrash() { keepsLines = true }

  func declare(_ schemes: [String]) { declaredSchemes = schemes }

  /// The schemes replace those of the registration before.
  func take(_ schemes: [String]) { ownSchemes = schemes }

  func wasLaunched(for launch: Launch?) { self.launch = launch }

  /// Nobody has asked to see it, until its registration.
  var isLaunchedIntoBackground: Bool { launch?.reason.isInBackground ?? false }

  var link: String? { launch?.url }

  func takeLaunch() -> Launch? {
    defer { launch = nil }
    return launch
  }

  func becomeManaged(name: String, _ suspender: Suspender, cgroupPath: String?) {
    (self.name, self.suspender, self.cgroupPath, kind) = (name, suspender, cgroupPath, .library)
  }

  var commandState: CommandState? { if case .command(let state) = kind { state } else { nil } }
  var command: CommandRules? { commandState?.rules }
  var isCommand: Bool { commandState != nil }
  /// Others started it, and end it.
  var isAdopted: Bool { command?.adoption != nil }
  var isUnmanaged: Bool { if case .unmanagedClient = kind { true } else { false } }

  var leaderStatus: ExitStatus? {
    switch state {
    case .running: nil
    case .waitingForLast(let status), .ended(let status): status
    }
  }

  /// For the ledger: the first process has ended, and others go on.
  func exit(at date: Int64) -> EndEntry? {
    guard case .waitingForLast(let status) = state else { return nil }
    return end(status, at: date)
  }

  /// `hasLeft`: the program goes on, and is not managed any more.
  func end(_ status: ExitStatus, hasLeft: Bool = false, at date: Int64) -> EndEntry {
    EndEntry(
      name: name, at: date, process: process, status: status, reason: hasLeft ? nil : reason(status),
      schemes: hasLeft ? [] : schemes, hasLeft: hasLeft)
  }

  var hasCrashed: Bool { leaderStatus.map { $0 != .exited(0) } ?? false }

  var waitsForLastProcess: Bool { if case .waitingForLast = state { true } else { false } }

  func leaderEnded(_ status: ExitStatus) { state = .waitingForLast(status) }

  func lastProcessEnded() { if let status = leaderStatus { state = .ended(status) } }

  func killed() { isKilled = true }

  func killed(for reason: KillReason) { if endWord == nil { endWord = OpenWord(EndReason(reason)) } }

  func purged(byOperator: Bool) {
    endWord = OpenWord(byOperator ? .purgedByOperator : .purged)
  }

  /// It has ended without having become its command.
  func wasNotStarted() { endWord = OpenWord(.notStarted) }

  /// It is asked to end because its parent is gone, which nobody has wanted.
  func wasHungUp() { if endWord == nil { endWord = OpenWord(.terminated) } }

  func stopsWithDaemon() { if endWord == nil { endWord = OpenWord(.stoppedWithDaemon) } }

  /// As the daemon before this one was asked for the end.
  func ends(as word: OpenWord<EndReason>?) {
    endWord = word
    switch word?.known {
    case .quit: parting = .forGood(restarts: false)
    case .linesUntaken: parting = .leavingLines
    default: break
    }
  }

  private func reason(_ status: ExitStatus) -> OpenWord<EndReason>? { endWord ?? OpenWord(status) }

  /// For the journal.
  func endReason(_ status: ExitStatus) -> String? { reason(status)?.text }

  func watch(in reactor: DaemonReactor) throws(SystemError) {
    registration = try reactor.add(pidfd.raw, [.readable, .oneShot], as: .process(id))
  }

  func unwatch(in reactor: DaemonReactor) {
    if let registration = registration.take() { reactor.remove(registration) }
  }
}

struct ProgramSeed {
  let name: String
  let kind: Program.Kind
  let suspender: Suspender
  let pid: Int32
  let pidfd: DescriptorBox
  var speaker: Slot?
  /// The first process, where that has ended and `pid` is another one of the program.
  var process: ProcessIdentity?
}

final class CommandState {
  let rules: CommandRules
  /// On CLOCK_BOOTTIME; nil when it is not known any more.
  let startedAt: Int64?
  /// On CLOCK_BOOTTIME.
  private(set) var keepAliveRanAt: Int64?, fetchedAt: Int64?

  init(_ rules: CommandRules, startedAt: Int64?, keepAliveRanAt: Int64? = nil, fetchedAt: Int64? = nil) {
    (self.rules, self.startedAt, self.keepAliveRanAt) = (rules, startedAt, keepAliveRanAt)
    self.fetchedAt = fetchedAt
  }

  func fetched(at moment: Int64) { fetchedAt = moment }

  func keepAliveRan(at moment: Int64) { keepAliveRanAt = moment }
}
