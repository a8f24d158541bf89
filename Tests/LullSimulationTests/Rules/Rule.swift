import LullEngine

struct Violation: Error, Equatable {
  let rule: String
  let what: String
}

/// A property that holds in every run. A rule knows the trace and nothing of the workload: it sees each
/// event, answer and effect before the ledger takes them, and the end of the step.
protocol Rule: AnyObject {
  static var name: String { get }
  /// The number of times that the rule came to its case; a rule that never does proves nothing.
  var sightings: Int { get }
  /// The step begins, with an event, or with the ledger's request: then `event` is nil.
  func event(_ event: Event?, _ ledger: Ledger) throws(Violation)
  func answer(_ answer: Engine.Answer, _ ledger: Ledger) throws(Violation)
  func effect(_ effect: Effect, _ ledger: Ledger) throws(Violation)
  func end(_ step: Step, _ ledger: Ledger) throws(Violation)
}

extension Rule {
  /// Such a rule is about every step.
  var sightings: Int { 1 }

  func event(_ event: Event?, _ ledger: Ledger) throws(Violation) {}
  func answer(_ answer: Engine.Answer, _ ledger: Ledger) throws(Violation) {}
  func effect(_ effect: Effect, _ ledger: Ledger) throws(Violation) {}
  func end(_ step: Step, _ ledger: Ledger) throws(Violation) {}

  func require(_ holds: Bool, _ what: @autoclosure () -> String) throws(Violation) {
    guard !holds else { return }
    throw Violation(rule: Self.name, what: what())
  }
}

/// The facts that the world knows after a step.
struct Step {
  var input: Input
  var answer: Engine.Answer?
  var effects: [Effect] = []
  var deadline: Moment?
  var alarm: Moment?
  /// True for the tick for which the alarm has resumed a suspended machine.
  var isResumed = false
  /// The programs that the step touched; every program when `isComplete`.
  var snapshots: [Snapshot] = []
  var isComplete = false
  /// Empty unless `isComplete`.
  var notifications: [Notice] = []
  /// The kernel's account of the command that is said to be frozen in this step, if it still is.
  var kernel: KernelView?
  /// The kernel's account of a command at an observation that shows nothing but its waits.
  var looked: KernelView?
  /// The kernel's account of the program that was looked at in this step.
  var activity: ActivityView?
  /// The programs with unread bytes and no running code, by the kernel's own account.
  var starving: [Starving] = []
  /// The sleepers whose alarm has rung, and since when.
  var rung: [Starving] = []

  var isTick: Bool { if case .tick = input.event { true } else { false } }
}

/// A program as the engine shows it.
struct Snapshot {
  var id: AppID
  var state = ApplicationState.active
  var isFreezing = false
  var leases: [Hold] = []
  var tasks: [TaskID] = []
  var lines: [LineID] = []
  var keepAlive: Window?
  var asleep = Interval.zero, awake = Interval.zero
  var wakes = 0

  struct Hold: Equatable {
    var kind: LeaseKind
    var ends: Moment?
  }

  struct Window: Equatable {
    var opens: Moment
    var due: Moment
  }
}

struct Notice {
  var id: NotificationID
  var program: String
  var fires: Moment?
}

/// The waits of a command, by the kernel's own account.
struct KernelView {
  var app: AppID
  /// A line with something that a thread waits for.
  var holds: LineID?
  var canWake = false
  var isWatchable = true
  /// The line of a query whose time-out has not run out yet.
  var query: LineID?
  /// The line of an answer that the program gives at the end of its time-out.
  var unanswered: LineID?
  var hasAnswered = false
}

/// The activity of a program before its freeze, by the kernel's own account.
struct ActivityView {
  var app: AppID
  var isInCall = false
  /// The moment since which it has used half a processor, in short naps.
  var worksSince: Moment?
}

/// A program that cannot see bytes which are there for it.
struct Starving {
  var app: AppID
  var since: Moment
  /// The longest time for which the world itself may hold up a freeze, a report or a tick.
  var patience: Interval
}
