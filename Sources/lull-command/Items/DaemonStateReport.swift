/// The report of `lull daemon status`. The keys of its JSON are a promise: new keys may be added, these stay.
struct DaemonStateReport: Encodable, Equatable {
  let pid: Int64
  /// The process of lull-guard; nil while there is none that watches.
  @OrNull var guardPid: Int64?
  let version: String
  /// Seconds since 1970.
  @OrNull var since: Double?
  /// What started it: `use`, `hand` or `service`.
  @OrNull var startedBy: String?
  let socket: String
  /// The means by which programs sleep: `cgroup` or `signal`.
  let suspender: String
  @OrNull var cgroupRoot: String?
  let restarts: Int64
  @OrNull var watchdogSeconds: Double?
  /// The programs that are managed, and those of them that sleep.
  let programs: Int
  let asleep: Int
  let remarks: [String]

  enum CodingKeys: String, CodingKey {
    case pid, version, since, startedBy, socket, suspender, cgroupRoot, restarts, watchdogSeconds
    case programs, asleep, remarks
    case guardPid = "guard"
  }

  init(_ status: StatusReport, socket: String) {
    let daemon = status.daemon
    pid = daemon.pid
    guardPid = daemon.guardPid
    version = daemon.version
    since = daemon.since
    startedBy = daemon.startedBy
    self.socket = socket
    suspender = daemon.suspender
    cgroupRoot = daemon.cgroupRoot
    restarts = daemon.restarts
    watchdogSeconds = daemon.watchdogSeconds
    let managed = status.programs.filter { $0.managed != nil }
    programs = managed.count
    asleep = managed.count { $0.state == "suspended" }
    remarks = status.remarks
  }
}
