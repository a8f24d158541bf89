/// A change of the ledger: what the next supervisor must know of the programs, their ends and their
/// notifications. Records are written before what they tell is done.
public enum LedgerRecord: Equatable, Sendable {
  /// A supervisor begins. `isAfterFault`: the one before it ended by a fault of its own, and not because
  /// somebody ended it. `isService`: a service manager starts this one, and the next one. `boots`: the
  /// supervisor starts what is installed.
  case began(isAfterFault: Bool, isService: Bool = false, boots: Bool = true)
  /// A supervisor that was to boot nothing starts what is installed now.
  case booted
  /// The supervisor has ended in good order.
  case finished
  /// A program is managed, or has changed.
  case program(ProgramEntry)
  /// The progress of a supervisor with a program of the one before it.
  case progress(name: String, ReturnProgress)
  /// The first process of a program has ended.
  case exited(EndEntry)
  /// A program is over, or is not managed any more.
  case ended(EndEntry)
  /// An installed program has changed.
  case installed(InstalledEntry)
  case uninstalled(name: String)
  /// A notification is shown, or waits for its time.
  case notification(NotificationEntry)
  case withdrawn(NotificationID, isScheduled: Bool)
  /// Notifications make no sound, or do again.
  case quiet(Bool)
  /// The user has said whether a program may record.
  case recording(RecordingEntry)
}

/// The progress of a supervisor with a program of the one before it. The program that is being taken back or
/// frozen for the first time is the one of which the supervisor may die.
public enum ReturnProgress: String, CaseIterable, Sendable {
  /// The program is about to be taken back.
  case taking
  /// The program is taken back; its first freeze is still to come.
  case taken
  /// The program is about to be frozen for the first time.
  case trying
  /// The program has been frozen, or is not to be.
  case tried
}

/// The end of a program.
public struct EndEntry: Equatable, Sendable {
  /// The name of the program.
  public var name: String
  /// The date, in nanoseconds since 1970.
  public var at: Int64
  /// Its first process; nil where nobody has noted it.
  public var process: ProcessIdentity?
  /// The end of its first process.
  public var status: ExitStatus
  /// The reason; nil when nobody learned it.
  public var reason: OpenWord<EndReason>?
  /// The schemes of the links that it took.
  public var schemes: [String]
  /// True for a program that goes on unmanaged.
  public var hasLeft: Bool

  /// An end with these parts.
  public init(
    name: String, at: Int64, process: ProcessIdentity? = nil, status: ExitStatus = .unknown,
    reason: OpenWord<EndReason>? = nil, schemes: [String] = [], hasLeft: Bool = false
  ) {
    (self.name, self.at, self.process, self.status) = (name, at, process, status)
    (self.reason, self.schemes, self.hasLeft) = (reason, schemes, hasLeft)
  }
}
