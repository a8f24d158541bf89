import LullChannel
import LullEngine
import LullSystem
import LullWire

final class Program {
  enum Kind {
    /// A program that registered itself, and speaks through the library.
    case library
    case command(CommandState)
    /// A process that is heard through Lull and never put to sleep.
    case unmanagedClient
  }

  enum Parting {
    /// It is over, and so are its lines; with `restarts` another life of it is to begin at once.
    case forGood(restarts: Bool)
    /// Its lines are kept for its next start; with `restarts` that comes at once.
    case keepingLines(restarts: Bool)
    /// It does not take the lines that it got back: another life of it begins without them.
    case leavingLines
  }

  /// A program ends with its last process, not with the first one.
  enum Life {
    case running
    /// The first process has ended, others have not.
    case waitingForLast(ExitStatus)
    case ended(ExitStatus)
  }

  let id: AppID
  private(set) var name: String
  private(set) var kind: Kind
  private(set) var life = Life.running
  private(set) var suspender: Suspender
  /// The path of the program's cgroup, as /proc/PID/cgroup says it.
  private(set) var cgroupPath: String?
  /// True when the engine has had the program killed.
  private(set) var isKilled = false
  /// The word for the reason for which somebody ends the program; nil when nobody does.
  private(set) var endWord: String?
  /// The wish of whoever ends the program; nil when nobody has asked for its end.
  private(set) var parting: Parting?
  private(set) var keepsLines = false
  /// True when it has registered before its command has returned.
  private(set) var isComingBack = false
  /// The moment until which a command that has returned may still register, on CLOCK_BOOTTIME.
  private var mayRegisterUntil: Int64 = .min
  /// True for one that had registered under the daemon before this one.
  private var hasSpoken = false
  /// The schemes of links that `run` declared, and those of its last registration.
  private var declaredSchemes: [String] = [], ownSchemes: [String] = []
  /// The reason of its launch, until it is told.
  private var launch: Launch?
  let pid: Int32
  /// The leader, also when its number is reused; nil where the number means nothing here.
  let process: ProcessIdentity?
  /// The pidfd of the leader, which becomes readable when the leader ends.
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

  var schemes: [String] { declaredSchemes + ownSchemes.filter { !declaredSchemes.contains($0) } }

  func parts(_ parting: Parting) {
    self.parting = parting
    switch parting {
    case .forGood(restarts: false): endWord = EndReason.quit.rawValue
    case .forGood(restarts: true), .keepingLines(restarts: true): endWord = EndReason.restarted.rawValue
    case .keepingLines(restarts: false): break
    case .leavingLines: endWord = EndReason.linesUntaken.rawValue
    }
  }

  var leavesLines: Bool { if case .leavingLines = parting { true } else { false } }

  /// Why it is ended while its lines are kept; nil when they are not, or when it goes on.
  var endingWithLines: KeptLine.Ending? {
    guard case .keepingLines(let restarts) = parting else { return nil }
    return restarts ? .restart : .purge
  }

  /// Notes that its processes leave only to register anew as a part of their command.
  func comesBack() { isComingBack = true }

  /// Notes that its command has returned, and the moment until which it may register, on CLOCK_BOOTTIME.
  func returned(until moment: Int64, speaks: Bool = false) {
    (mayRegisterUntil, hasSpoken) = (moment, speaks)
  }

  /// True for a command that will register again: until then nobody knows its lines.
  func registersAgain(at now: Int64) -> Bool { hasSpoken && mayRegister(at: now) }

  /// True while it may be a program on the library that has not found this daemon yet.
  func mayRegister(at now: Int64) -> Bool { now < mayRegisterUntil }

  /// True while duplicates of its lines are held beside its own.
  var hasLinesHeld: Bool { if case .keepingLines = parting { true } else { keepsLines } }

  func keepLinesAfterCrash() { keepsLines = true }

  func declare(_ schemes: [String]) { declaredSchemes = schemes }

  /// The schemes replace those of the registration before.
  func take(_ schemes: [String]) { ownSchemes = schemes }

  func wasLaunched(for launch: Launch?) { self.launch = launch }

  /// True until its registration when nobody has asked to see it.
  var isLaunchedIntoBackground: Bool { launch?.reason.isInBackground ?? false }

  /// The link that it was launched for, until the reason is told.
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
  var isUnmanaged: Bool { if case .unmanagedClient = kind { true } else { false } }

  /// Nil while the first process runs.
  var leaderStatus: ExitStatus? {
    switch life {
    case .running: nil
    case .waitingForLast(let status), .ended(let status): status
    }
  }

  /// The end of the first process where others go on, for the ledger.
  func exit(at date: Int64) -> EndEntry? {
    guard case .waitingForLast(let status) = life else { return nil }
    return end(status, at: date)
  }

  /// `hasLeft`: it goes on, and is not managed any more.
  func end(_ status: ExitStatus, hasLeft: Bool = false, at date: Int64) -> EndEntry {
    EndEntry(
      name: name, at: date, process: process, status: status, reason: hasLeft ? nil : endReason(status),
      schemes: hasLeft ? [] : schemes, hasLeft: hasLeft)
  }

  var hasCrashed: Bool { leaderStatus.map { $0 != .exited(0) } ?? false }

  var waitsForLastProcess: Bool { if case .waitingForLast = life { true } else { false } }

  func leaderEnded(_ status: ExitStatus) { life = .waitingForLast(status) }

  func lastProcessEnded() { if let status = leaderStatus { life = .ended(status) } }

  func killed() { isKilled = true }

  func killed(for reason: KillReason) { if endWord == nil { endWord = reason.rawValue } }

  func purged(byOperator: Bool) {
    endWord = byOperator ? EndReason.purgedByOperator.rawValue : KillReason.purged.rawValue
  }

  /// Notes that it has ended without having become its command.
  func wasNotStarted() { endWord = EndReason.notStarted.rawValue }

  /// Notes that it is asked to end because its parent is gone, which nobody has wanted.
  func wasHungUp() { if endWord == nil { endWord = EndReason.terminated.rawValue } }

  func stopsWithDaemon() { if endWord == nil { endWord = EndReason.stoppedWithDaemon.rawValue } }

  /// Notes the word for the reason of an end that was asked for under the daemon before this one.
  func ends(as word: String?) {
    endWord = word
    switch word.flatMap(EndReason.init(rawValue:)) {
    case .quit: parting = .forGood(restarts: false)
    case .linesUntaken: parting = .leavingLines
    default: break
    }
  }

  func endReason(_ status: ExitStatus) -> String? { endWord ?? EndReason(status)?.rawValue }

  func watch(in reactor: DaemonReactor) throws(SystemError) {
    registration = try reactor.add(pidfd.raw, [.readable, .oneShot], as: .process(id))
  }

  func unwatch(in reactor: DaemonReactor) {
    if let registration { reactor.remove(registration) }
    registration = nil
  }
}

final class CommandState {
  let rules: CommandRules
  /// The start of the command, on CLOCK_BOOTTIME; nil when it is not known any more.
  let startedAt: Int64?
  /// The last run of the command's keep-alive, on CLOCK_BOOTTIME.
  private(set) var keepAliveRanAt: Int64?

  init(_ rules: CommandRules, startedAt: Int64?, keepAliveRanAt: Int64? = nil) {
    (self.rules, self.startedAt, self.keepAliveRanAt) = (rules, startedAt, keepAliveRanAt)
  }

  func keepAliveRan(at moment: Int64) { keepAliveRanAt = moment }
}
