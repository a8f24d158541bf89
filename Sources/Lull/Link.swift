internal import LullEngine
internal import LullSystem

/// What the application asks its supervisor and waits for.
enum Call {
  case hold(Int32, LineKind, Offload, tcpKeepalive: Interval?)
  case keepAlive(Interval?, lastRun: Moment?, since: Moment? = nil)
  case beginTask(String)
  case remaining
  case present(LocalNotification)
  case schedule(LocalNotification, FireDate, repeats: Interval?)
  case cancel(NotificationID?)
}

/// What the application tells its supervisor without waiting.
enum Remark {
  /// A delegate message returned.
  case did(Ticket)
  /// Everything up to the ticket is handled.
  case done(Ticket)
  case release(LineID)
  case endTask(TaskID)
  case endSession(SessionID)
  case background
  case foreground
  /// A line's descriptor, after `LinkNotice.prepare`.
  case handover(LineID, Int32, Ticket)
  case ready(Ticket)
  case bye
}

/// What the supervisor tells the application.
enum LinkNotice: Equatable {
  case deliver(DelegateMessage, Ticket, launchReason: WakeReason?)
  case wake(WakeReason, Ticket)
  case keepAlive(Ticket)
  case expire(TaskID)
  case action(NotificationID, String, Ticket)
  case received(NotificationID, LocalNotification)
  /// Another program is heard instead of a session.
  case interruptionBegan(SessionID)
  case interruptionEnded(SessionID, shouldResume: Bool)
  /// The sound goes to another device, or to none.
  /// `session` nil: all of them.
  case route(AudioRouteChange, session: SessionID?)
  /// lull-audio has given a session up.
  case cut(SessionID, RingError)
  /// The supervisor has heard `done`. What it said before, it said without knowing of it.
  case heard(Ticket)
  /// Hand the lines over; the daemon has no right to take them.
  case prepare(Ticket)
  /// The daemon is gone; the link tries to get it back.
  case lost
  /// A daemon is there again and knows nothing but the program's name.
  case restored
  /// Nobody else shows it (embedded only).
  case show(NotificationID, LocalNotification)
  /// The daemon would have killed the program (embedded only).
  case killed(KillReason)
}

/// What a session of sound is, and the descriptors that lull-audio gets.
struct SessionOpening {
  var ring: Int32
  /// lull-audio's end.
  var bell: Int32
  /// Of the end that the program keeps.
  var inode: UInt64
  var category: AudioCategory
  var options: AudioOptions
  var direction: AudioSession.Direction
  var format: FrameFormat
  /// In the ring.
  var frames: Int
  var lowWater: Int?
  var latency: Interval?
  var device: AudioDevice
}

/// The way to whoever supervises the program: the daemon, or the engine inside the process.
protocol Link: AnyObject {
  /// False while the daemon is away.
  var isUp: Bool { get }
  /// True while the handlers may not run; never seen with a daemon, which stops the whole process.
  var isSuspended: Bool { get }
  /// When `elapse` has something to do, on the clock of CLOCK_BOOTTIME.
  var deadline: Moment? { get }
  /// Whether a turn of the loop has something to do for the link.
  var hasWork: Bool { get }
  /// The name that the supervisor knows the program by.
  var name: String { get }

  /// Asks and waits for the answer, at most 5 s. Notices that come meanwhile are kept. The answer is never
  /// `refused`.
  func ask(_ call: Call) throws(LullError) -> Answer
  /// Opens a session of sound and returns its number; waits as `ask` does.
  func open(_ session: SessionOpening) throws(LullError) -> SessionID
  func tell(_ remark: Remark)
  func nextNotice() -> LinkNotice?
  /// Does what is due. `resume` is the state in which the program goes on when a daemon is found again; nil:
  /// it has not been launched yet.
  func elapse(at now: Moment, resume: ApplicationState?)
  /// A line became ready while the handlers are suspended.
  func ready(_ line: LineID, _ readiness: LullEngine.Readiness)
  /// Everything that was ready has been handled: a good moment to be suspended. `readyLine` looks at the
  /// lines.
  func fallAsleep(readyLine: () -> (LineID, LullEngine.Readiness)?)
}
