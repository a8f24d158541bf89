/// The remaining words that are values of fields and belong to no other module.
public enum Vocabulary {
  /// Who the daemon takes the peer for (`identity=`).
  public enum Identity: String, CaseIterable, Sendable {
    /// The owner, outside every program.
    case `operator`
    /// A process of a program.
    case program
  }

  /// How programs are suspended (`suspender=`).
  public enum Suspender: String, CaseIterable, Sendable {
    /// The freezer of cgroup v2.
    case cgroup
    /// SIGSTOP and SIGCONT.
    case signal
  }

  /// How a program came under the daemon (`managed=`).
  public enum Management: String, CaseIterable, Sendable {
    /// It registered itself.
    case library
    /// It was started by `run`.
    case command
  }

  /// The kind of a held line (`line=` of an item, `kind=` of the reply to `hold`).
  public enum LineKind: String, CaseIterable, Sendable {
    case tcp
    case udp
    /// A listening TCP socket.
    case tcpListen = "tcp-listen"
    case unix
    /// Any other descriptor that can be polled.
    case other
    /// An epoll descriptor: it stands for all descriptors of its set.
    case set
  }

  /// Why a program could not sleep (`refused=` of a sleep, `cause=` of `freeze-refused`).
  public enum Refusal: String, CaseIterable, Sendable {
    /// The freeze was not complete in time.
    case timeout
    /// A thread was at work.
    case notIdle = "not-idle"
    /// A descriptor that the program sends was not there.
    case noDescriptor = "no-descriptor"
    /// The kernel refused something.
    case failed
    /// Something had arrived that the program had not read.
    case unread
    /// The program had sent something and waited for the answer.
    case unanswered
    /// A thread waits for less than a second each time, and the lines had not been quiet for a second.
    case ticking
    /// A sound stream was open.
    case sound
    /// The program holds more descriptors than the quota allows.
    case tooManyLines = "too-many-lines"
    /// The program has more processes than can be looked at.
    case tooManyProcesses = "too-many-processes"
    /// No descriptor of the program could wake it.
    case noLine = "no-line"
    /// No socket has a port that is to wake the program.
    case noPort = "no-port"
    /// The daemon may not look into the program.
    case noRights = "no-rights"
    /// A thread waits for something that cannot be watched from outside.
    case unwatchable
    /// The program waits for an answer of the daemon.
    case asking
    /// The program has just sent a query over UDP.
    case query
  }

  /// Whether a notification is shown or waits for its time (`state=` of a notification).
  public enum NotificationState: String, CaseIterable, Sendable {
    case pending
    case scheduled
  }

  /// The outcome of one check of `doctor` (`result=`).
  public enum CheckResult: String, CaseIterable, Sendable {
    case yes
    case no
    case limited
  }

  /// The actions that every notification has beside its own (`action=`).
  public enum Action: String, CaseIterable, Sendable {
    /// The notification itself was chosen.
    case `default`
    /// It was closed.
    case dismiss
  }

  /// What `lull-audio` does with a session (`state=` of a session), in the order of the ring's numbers.
  public enum SessionState: String, CaseIterable, Sendable {
    case idle
    case running
    case paused
    case starved
    case held
    case drained
    case cut
  }

  /// How a session is to be heard (`order=`).
  public enum SoundOrder: String, CaseIterable, Sendable {
    case play
    case duck
    case hold
  }

  /// Why a session was given up (`reason=` of `cut`).
  public enum CutReason: String, CaseIterable, Sendable {
    case badPosition = "bad-position"
    case noDevice = "no-device"
    case badFormat = "bad-format"
  }

  /// Whether another program is heard instead (`phase=` of `interruption`).
  public enum InterruptionPhase: String, CaseIterable, Sendable {
    case began
    case ended
  }

  /// What became of the sound device (`change=` of `route`).
  public enum RouteChange: String, CaseIterable, Sendable {
    case gone
    case new
  }

  /// Why a session is on another device (`reason=` of `route`).
  public enum RouteReason: String, CaseIterable, Sendable {
    /// Somebody asked for it.
    case override
    /// The device that it was on is gone or cannot be opened.
    case oldDeviceUnavailable = "old-device-unavailable"
    /// The device that it is to be on is there again.
    case newDeviceAvailable = "new-device-available"
  }

  /// How the sound device stands (`state=` of a device).
  public enum DeviceState: String, CaseIterable, Sendable {
    case closed
    case open
    case none
  }
}
