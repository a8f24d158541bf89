/// A reason for which a program may not be frozen.
public enum LeaseKind: String, CaseIterable, Sendable {
  case launching, transition, wake, keepalive, fetch, push, task, audible, recording, call, refill
}

/// The reason for which a sleeping program was woken.
public enum WakeReason: String, CaseIterable, Sendable {
  /// Bytes arrived on a line.
  case data
  /// The peer closed a line.
  case closed
  case error
  /// A listening line has a connection to accept.
  case accept
  case keepalive
  /// The user chose a notification's action.
  case notification
  /// An accessory has data, or came or went.
  case accessory
  /// There is news of where the machine is.
  case location
  /// A device of Bluetooth has data.
  case bluetooth
  /// A process of the program ended.
  case child
  /// A connection was made, or takes bytes again.
  case writable
  /// The deep buffer of the program runs low.
  case refill
  /// A time-out of the program is over.
  case timer
  /// A signal that the program handles waits for it, such as that of its own alarm.
  case signal
  /// The network changed: an address or a route that a line uses is gone, or another way out came.
  case network
  /// The machine was asleep and goes on.
  case resumed
  /// Somebody opened a link whose scheme the program declares.
  case url
  /// The program is to look for new content.
  case fetch
  /// Somebody has pushed something to the program.
  case push
  /// Another program waits for a lock on a file that the program holds.
  case lock
  /// Somebody asked for the wake.
  case `operator`
  /// Somebody else thawed the program, the freeze was taken back, or the supervisor was restarted.
  case unfrozen
}

/// The reason for which a suspended machine is resumed.
public enum ResumeReason: String, CaseIterable, Sendable {
  case keepalive
  /// A time-out of a program with connections is over, or a program asked for a wake.
  case timer
  /// Something waits on a line of a program whose wakes are put off.
  case data
  /// The paths of UDP sockets are to be kept open.
  case paths
  case notification
}

/// The reason for which the shell could not put a program to sleep, or took the freeze back by itself.
public enum FreezeRefusal: String, CaseIterable, Sendable {
  /// The kernel did not report `frozen 1` in time.
  case timeout
  /// The program was in the middle of something, or sent a request.
  case notIdle = "not-idle"
  /// A line's descriptor could not be taken.
  case noDescriptor = "no-descriptor"
  /// The kernel refused the freeze.
  case failed
  /// Something that arrived is not read yet.
  case unread
  /// The program sent something of its own accord, and its peer may answer any moment.
  case unanswered
  /// A thread wakes more than once a second, and the lines have not been quiet for long enough.
  case ticking
  /// A stream of a sound server, or a sound device, runs.
  case sound
  /// More descriptors than a program may have watched.
  case tooManyLines = "too-many-lines"
  case tooManyProcesses = "too-many-processes"
  /// Nothing could wake the program: besides its standard streams it has no descriptor that could.
  case noLine = "no-line"
  /// No socket has a port that is to wake the program.
  case noPort = "no-port"
  /// Ptrace rights over one of its processes are missing.
  case noRights = "no-rights"
  /// A thread waits for something that nobody can watch.
  case unwatchable
  /// The program has sent the supervisor a request, and the answer is on its way.
  case asking
  /// A signal has stopped the program, as Ctrl-Z does, and it runs only after SIGCONT.
  case stopped
  /// The program has sent something over a new UDP socket, and would send it again at the end of its wait.
  case query
  /// The program has outlived a supervisor, and the end of its wait may be the moment at which it looks for
  /// this one.
  case returned
  /// The program has answered nothing since something came, and may answer at the end of its wait.
  case answering
  /// A sleep has cut off a time-out that was over, and the program has begun it anew: it is to run out once.
  case cutOff = "cut-off"
}

/// The rule for the wakes of a sleeping command for its own timers, which stand still while it sleeps.
public enum TimerRule: Equatable, Sendable {
  /// The floor is the policy's, and lower once a peer has ended a connection while a timer was overdue.
  case automatic
  /// At most one wake in this time.
  case floor(Interval)
  case never
}

/// The course of a wait's time-out over a freeze and its thaw.
public enum TimeOutCourse: Sendable, CaseIterable {
  /// It ends at the moment at which it would have ended: poll(2), nanosleep(2), futex(2).
  case goesOn
  /// It stands still: the kernel begins select(2) and ppoll(2) again with the rest of it.
  case standsStill
  /// It begins anew with its whole length: the call returns EINTR, and most programs call it again. So do
  /// epoll_wait(2), and read(2) where a socket or a terminal has the time-out; see signal(7).
  case beginsAnew
}

/// The object of a wait that nobody can watch. Raw values are the words of the refusal.
public enum Unwatchable: String, CaseIterable, Sendable {
  case sharedFutex = "shared-futex"
  case systemV = "system-v"
  case fileLock = "file-lock"
  case narrow = "narrow-program"
  case ring = "direct-ring"
  case stoppedRing = "stopped-ring"
  /// Another program that opens the file waits until this one gives its lease up.
  case lease = "file-lease"
  /// A change in the directory raises a signal.
  case directoryNotice = "directory-notice"
  /// A message raises a signal.
  case queueNotice = "queue-notice"
  /// A program that opens the file waits for the permission.
  case permission = "file-permission"
  /// A program that opens a file there waits for the answer, lulld too.
  case fileSystem = "file-system"
  case ownDescriptors = "own-descriptors"
}
