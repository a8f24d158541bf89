import LullEngine

/// A program of a mortal world.
struct MortalRole {
  enum Kind { case library, run, keeper }

  let name: String
  let kind: Kind
  var isInstalled = false
  var keepsAlive = false
  var fetches = false
  /// It has a socket that is kept when it is started again.
  var hasSocket = false
  /// lulld dies by a fault at this place with the program.
  var poison: ReturnProgress?
}

/// A connection that can outlive the life of its program.
final class MortalSocket {
  let name: String
  /// True from when lull-guard has it until the program has it back or ends with it.
  var isKept = false
  /// The moment since which it is kept although the program has it.
  var isDoubleSince: Int64?

  init(_ name: String) { self.name = name }
}

/// One life of a program: the processes of its cgroup.
final class MortalLife {
  let role: MortalRole
  let process: ProcessIdentity
  /// Its first process waits for its parent's word before it becomes the command.
  var isGated: Bool
  private(set) var status: ExitStatus?
  /// The number of its other processes.
  private(set) var others = 0
  private(set) var endedAt: Int64?
  var isFrozen = false
  /// A daemon has seen it asleep.
  var isAsleep = false
  /// One wake that nothing outside has caused is allowed: a supervisor failed since the last one.
  var mayWake = false
  var hasData = false
  var actsAt: Int64
  /// It ends by itself at this moment, because it was asked to.
  var endsAt = Int64.max
  var sockets: [MortalSocket] = []
  /// The ledger's file has it.
  var isRecorded = false
  var isAsked = false
  /// The reason of its end as a client was told it.
  var promisedReason: EndReason?
  /// The daemon with which it registered last, when it is on the library.
  var speaksTo = 0
  var hasRegistered = false
  /// The last run of its keep-alive, and the beginning of the wait for the first, on CLOCK_BOOTTIME.
  var lastRun: Int64?
  let since: Int64
  /// The daemons that died of it, and were replaced by one that knew of a fault.
  var deaths = 0
  var isLeft = false
  var isAudited = false

  init(_ role: MortalRole, _ process: ProcessIdentity, isGated: Bool, since: Int64, actsAt: Int64) {
    (self.role, self.process, self.isGated) = (role, process, isGated)
    (self.since, self.actsAt) = (since, actsAt)
  }

  var name: String { role.name }
  var isOver: Bool { status != nil && others == 0 }
  var canAct: Bool { !isOver && !isFrozen && !isGated }

  func fork() { others += 1 }

  func otherEnded(at moment: Int64) {
    others -= 1
    if isOver { endedAt = moment }
  }

  /// Its first process ends, and with `all` each other one.
  func end(_ status: ExitStatus, all: Bool, at moment: Int64) {
    if self.status == nil { self.status = status }
    if all || isGated { others = 0 }
    isFrozen = isFrozen && others > 0
    if isOver { (isAsleep, endedAt) = (false, moment) }
  }
}

/// The parent of a command: `lull run` or a keeper.
final class MortalParent {
  /// It wants a daemon to manage its command, which waits; has asked the one of a number; that one has its
  /// command; is gone.
  enum Stage: Equatable { case starting, asked(Int), attached(Int), lost, over }

  let role: MortalRole
  /// The reason of the launch; nil for one that a person runs.
  let reason: LaunchReason?
  /// The moment at which it was started, on CLOCK_BOOTTIME.
  let since: Int64
  var life: MortalLife?
  var stage = Stage.starting
  /// Its daemon has told it of the end.
  var isTold = false
  var continuesAt: Int64?

  init(_ role: MortalRole, _ reason: LaunchReason?, at since: Int64) {
    (self.role, self.reason, self.since) = (role, reason, since)
  }

  var isStopped: Bool { continuesAt != nil }
}

/// A `lull` command that asks the daemon, or starts one.
final class MortalClient {
  enum Verb: CaseIterable {
    case quit, start, open, push, choose, restart, restartKeepingLines, stopDaemon, stopAll, upgrade

    /// It starts a daemon that starts what is installed.
    var boots: Bool { self == .start || self == .open || self == .push }

    /// The reason of a start for which it is the cause.
    var reason: LaunchReason? {
      switch self {
      case .start, .restart, .restartKeepingLines: .user
      case .open: .url
      case .push: .push
      case .choose: .notification
      case .quit, .stopDaemon, .stopAll, .upgrade: nil
      }
    }
  }

  func isRestarting(_ name: String) -> Bool {
    role.name == name && (verb == .restart || verb == .restartKeepingLines)
  }

  let verb: Verb
  let role: MortalRole
  var asked: Int?
  /// The life whose end it waits for, to start the program again.
  var awaited: MortalLife?
  var hasEnded = false
  var isDone = false

  init(_ verb: Verb, _ role: MortalRole) { (self.verb, self.role) = (verb, role) }
}
