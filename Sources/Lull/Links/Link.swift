internal import LullEngine
internal import LullWire

enum LinkNotice: Equatable {
  case told(ProgramNotice)
  /// The supervisor has received `done`. Its earlier notices were sent without knowledge of it.
  case doneReceived(Ticket)
  /// The daemon is gone; the link tries to get it back.
  case lost
  /// A daemon is there again and knows nothing but the program's name.
  case restored
  /// Only an embedded application shows its notifications itself.
  case show(NotificationID, LocalNotification)
  /// The daemon would have killed the embedded program.
  case killed(KillReason)
}

struct SupervisedNotification: Equatable {
  let id: NotificationID
  let content: LocalNotification
  /// Seconds since 1970; nil for one that is shown.
  let date: Double?
  let repeats: RepeatRule?
  let zone: String?
}

/// The link to the program's supervisor: the daemon, or the engine inside the process.
protocol Link: AnyObject {
  /// False while the daemon is away.
  var isUp: Bool { get }
  /// The handlers may not run. A daemon stops the whole process instead.
  var isSuspended: Bool { get }
  /// The moment of CLOCK_BOOTTIME at which `elapse` has something to do.
  var deadline: Moment? { get }
  /// The moment for which the machine is resumed; nil with a daemon, which sees to that.
  var alarm: Moment? { get }
  var hasWork: Bool { get }
  var name: String { get }
  var launch: Launch { get }
  var suspension: Suspension { get }
  /// The supervisor resumes a suspended machine for the program.
  var wakesMachine: Bool { get }

  /// Waits for the answer, at most 5 s. Notices that come meanwhile wait. The answer is never `refused`.
  func ask(_ request: Request, descriptor: Int32?) throws(LullError) -> Engine.Answer
  /// With `all`, also the notifications that are shown.
  func notifications(all: Bool) throws(LullError) -> [SupervisedNotification]
  /// Waits for no answer.
  func tell(_ request: Request, descriptor: Int32?)
  func nextNotice() -> LinkNotice?
  /// Does the work that is due. When a daemon is found again, the program goes on in the state `resume`.
  func elapse(at now: Moment, resume: ApplicationState)
  /// A line became ready while the handlers are suspended.
  func ready(_ line: LineID, _ readiness: LineReadiness)
  /// Suspends the handlers when that is due: everything that was ready has been handled. `readyLine` polls
  /// the lines.
  func fallAsleep(readyLine: () -> (LineID, LineReadiness)?)
}

extension Link {
  func ask(_ request: Request) throws(LullError) -> Engine.Answer { try ask(request, descriptor: nil) }
  func tell(_ request: Request) { tell(request, descriptor: nil) }
}
