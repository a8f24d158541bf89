internal import LullEngine
internal import LullWire

/// The calls to the supervisor whose answer the application waits for.
enum Call {
  case hold(Int32, LineTraits)
  case keepAlive(Interval?, lastRun: Moment?, since: Moment? = nil)
  case beginTask(String)
  case remaining
  case present(LocalNotification, replaces: NotificationID? = nil)
  case schedule(LocalNotification, FireDate, repeats: RepeatRule?, zone: String? = nil)
  case cancel(NotificationID?)
}

/// The remarks to the supervisor that need no answer.
enum Remark {
  /// A delegate message returned.
  case did(Ticket)
  /// Everything up to the ticket is handled.
  case done(Ticket)
  /// The `done` of the ticket is taken back.
  case handling(Ticket)
  case release(LineID)
  /// Wake the program after this time; nil for not any more.
  case wakeIn(Interval?)
  case endTask(TaskID)
  case endSession(SessionID)
  case background
  case foreground
  /// A line's descriptor, after `ProgramNotice.prepare`.
  case handover(LineID, Int32, Ticket)
  case ready(Ticket)
  case bye
}

enum LinkNotice: Equatable {
  case told(ProgramNotice)
  /// The supervisor has received `done`. Its earlier notices were sent without knowledge of it.
  case doneReceived(Ticket)
  /// The daemon is gone; the link tries to get it back.
  case lost
  /// A daemon is there again and knows nothing but the program's name.
  case restored
  /// A notification that only the application can show (embedded only).
  case show(NotificationID, LocalNotification)
  /// The daemon would have killed the program (embedded only).
  case killed(KillReason)
}

/// The description of an audio session, and the descriptors that lull-audio gets.
struct SessionOpening {
  var ring: Int32
  /// lull-audio's end of the doorbell.
  var doorbell: Int32
  /// The inode of the doorbell's end that the program keeps.
  var inode: UInt64
  var category: AudioCategory
  var options: AudioOptions
  var direction: AudioDirection
  var format: FrameFormat
  /// The frames that the ring holds.
  var frames: Int
  var lowWater: Int?
  var latency: Interval?
  var device: AudioDevice
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
  /// True while the handlers may not run; never with a daemon, which stops the whole process.
  var isSuspended: Bool { get }
  /// The moment of CLOCK_BOOTTIME at which `elapse` has something to do.
  var deadline: Moment? { get }
  /// The moment for which the machine is resumed; nil with a daemon, which sees to that.
  var alarm: Moment? { get }
  var hasWork: Bool { get }
  /// The name that the supervisor knows the program by.
  var name: String { get }
  var launch: Launch { get }

  /// Asks and waits for the answer, at most 5 s. Notices that come meanwhile are kept. The answer is never
  /// `refused`.
  func ask(_ call: Call) throws(LullError) -> Engine.Answer
  /// The notifications of the program that the supervisor has; with `all`, also those that are shown.
  func notifications(all: Bool) throws(LullError) -> [SupervisedNotification]
  /// Sets the program's own state of a line, in a memfd; waits as `ask` does.
  func setState(_ file: Int32, of line: LineID) throws(LullError)
  /// Opens an audio session and returns its number; waits as `ask` does.
  func open(_ session: SessionOpening) throws(LullError) -> SessionID
  func tell(_ remark: Remark)
  func nextNotice() -> LinkNotice?
  /// Does the work that is due. `resume` is the state in which the program goes on when a daemon is found
  /// again.
  func elapse(at now: Moment, resume: ApplicationState)
  /// Reports a line that became ready while the handlers are suspended.
  func ready(_ line: LineID, _ readiness: LineReadiness)
  /// Suspends the handlers when that is due: everything that was ready has been handled. `readyLine` polls
  /// the lines.
  func fallAsleep(readyLine: () -> (LineID, LineReadiness)?)
}
