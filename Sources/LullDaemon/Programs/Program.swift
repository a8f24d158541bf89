import LullChannel
import LullEngine
import LullSystem
import LullWire

/// A managed program as the shell knows it: its processes and its connections.
final class Program {
  enum Kind {
    /// A program that registered itself, and speaks through the library.
    case library
    /// A program that was started by `run`.
    case command(CommandState)
    /// A process that is heard through Lull and never put to sleep.
    case unmanagedClient
  }

  /// What somebody wants who ends the program.
  enum Parting {
    /// It is over, and so are its lines; with `restarts` another life of it is to begin at once.
    case forGood(restarts: Bool)
    /// Its lines are kept for its next start; with `restarts` that comes at once.
    case keepingLines(restarts: Bool)
    /// It does not take the lines that it got back: another life of it begins without them.
    case leavingLines
  }

  /// The progress of the program's end: it ends with its last process, not with the first one.
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
  /// The word for the reason for which somebody ends it; nil when nobody does.
  private(set) var endWord: String?
  /// The wish of whoever ends it; nil when nobody has asked for its end.
  private(set) var parting: Parting?
  /// True when its lines are kept after a crash.
  private(set) var keepsLines = false
  /// True when it has registered before its command has returned.
  private(set) var isComingBack = false
  /// The moment until which a command that has returned may still register, on CLOCK_BOOTTIME.
  private var mayRegisterUntil: Int64 = .min
  /// The schemes of links that `run` declared, and those of its last registration.
  private var declaredSchemes: [String] = [], ownSchemes: [String] = []
  /// The reason of its launch, until it is told.
  private var launch: Launch?
  let pid: Int32
  /// The leader for ever; nil where its number means nothing here.
  let process: ProcessIdentity?
  /// The pidfd of the leader, which becomes readable when the leader ends.
  let pidfd: DescriptorBox
  /// The watch of `pidfd`.
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

  /// The schemes of the links that it takes.
  var schemes: [String] { declaredSchemes + ownSchemes.filter { !declaredSchemes.contains($0) } }

  /// Notes that somebody ends it.
  func parts(_ parting: Parting) {
    self.parting = parting
    switch parting {
    case .forGood(restarts: false): endWord = EndReason.quit.rawValue
    case .forGood(restarts: true), .keepingLines(restarts: true): endWord = EndReason.restarted.rawValue
    case .keepingLines(restarts: false): break
    case .leavingLines: endWord = EndReason.linesUntaken.rawValue
    }
  }

  /// True when it is ended because it does not take its lines.
  var leavesLines: Bool { if case .leavingLines = parting { true } else { false } }

  /// Why it is ended while its lines are kept; nil when they are not, or when it goes on.
  var endingWithLines: KeptLine.Ending? {
    guard case .keepingLines(let restarts) = parting else { return nil }
    return restarts ? .restart : .purge
  }

  /// Notes that its processes leave only to register anew as a part of their command.
  func comesBack() { isComingBack = true }

  /// Notes that its command has returned, and the moment until which it may register, on CLOCK_BOOTTIME.
  func returned(until moment: Int64) { mayRegisterUntil = moment }

  /// True while it may be a program on the library that has not found this daemon yet.
  func mayRegister(at now: Int64) -> Bool { now < mayRegisterUntil }

  /// True while duplicates of its lines are held beside its own.
  var hasLinesHeld: Bool { if case .keepingLines = parting { true } else { keepsLines } }

  /// Has its lines kept after a crash.
  func keepLinesAfterCrash() { keepsLines = true }

  /// Takes the schemes of `run`.
  func declare(_ schemes: [String]) { declaredSchemes = schemes }

  /// Takes the schemes of a registration, in place of those of the one before.
  func take(_ schemes: [String]) { ownSchemes = schemes }

  /// Notes the reason for which it was started.
  func wasLaunched(for launch: Launch?) { self.launch = launch }

  /// True until its registration when nobody has asked to see it.
  var isLaunchedIntoBackground: Bool { launch?.reason.isInBackground ?? false }

  /// The link that it was launched for, until the reason is told.
  var link: String? { launch?.url }

  /// The reason of its launch, once.
  func takeLaunch() -> Launch? {
    defer { launch = nil }
    return launch
  }

  /// Makes a managed program of an unmanaged client that has registered.
  func becomeManaged(name: String, _ suspender: Suspender, cgroupPath: String?) {
    (self.name, self.suspender, self.cgroupPath, kind) = (name, suspender, cgroupPath, .library)
  }

  /// The state of a command; nil for any other program.
  var commandState: CommandState? { if case .command(let state) = kind { state } else { nil } }
  /// The rules that `run` gave for a command.
  var command: CommandRules? { commandState?.rules }
  var isCommand: Bool { commandState != nil }
  /// True for an unmanaged client.
  var isUnmanaged: Bool { if case .unmanagedClient = kind { true } else { false } }

  /// The exit status of the first process; nil while it runs.
  var leaderStatus: ExitStatus? {
    switch life {
    case .running: nil
    case .waitingForLast(let status), .ended(let status): status
    }
  }

  /// The end of the first process where others go on, for the ledger.
  func exit(at date: Int64) -> EndEntry? {
    guard case .waitingForLast(let status) = life else { return nil }
    return EndEntry(
      name: name, at: date, process: process, status: status, reason: endReason(status), schemes: schemes)
  }

  /// True when the first process has ended, and not by its own wish and with success.
  var hasCrashed: Bool { leaderStatus.map { $0 != .exited(0) } ?? false }

  var waitsForLastProcess: Bool { if case .waitingForLast = life { true } else { false } }

  func leaderEnded(_ status: ExitStatus) { life = .waitingForLast(status) }

  func lastProcessEnded() { if let status = leaderStatus { life = .ended(status) } }

  func killed() { isKilled = true }

  /// Notes why the engine had it killed, if that is not known better.
  func killed(for reason: KillReason) { if endWord == nil { endWord = reason.rawValue } }

  /// Notes that it was ended because memory was short, or because the operator said so.
  func purged(byOperator: Bool) {
    endWord = byOperator ? EndReason.purgedByOperator.rawValue : KillReason.purged.rawValue
  }

  /// Notes that it has ended without having become its command.
  func wasNotStarted() { endWord = EndReason.notStarted.rawValue }

  /// Notes that it ends because the daemon does.
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

  /// The word for the reason of its end.
  func endReason(_ status: ExitStatus) -> String? { endWord ?? EndReason(status)?.rawValue }

  /// Watches the end of the leader.
  func watch(in reactor: DaemonReactor) throws(SystemError) {
    registration = try reactor.add(pidfd.raw, [.readable, .oneShot], as: .process(id))
  }

  func unwatch(in reactor: DaemonReactor) {
    if let registration { reactor.remove(registration) }
    registration = nil
  }
}

/// The daemon's knowledge of a command beside its processes.
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
