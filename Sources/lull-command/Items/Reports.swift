import LullModel
import LullWire

/// An installed program, for `lull list`. The keys of its JSON are a promise: new keys may be added, these
/// stay.
@dynamicMemberLookup
struct InstalledReport: Encodable, Equatable {
  let item: InstalledItem
  /// The state of the program that runs, as `lull status` has it.
  var running: String?
  var command: [String]?
  var mistake: String?

  init(_ item: InstalledItem) { self.item = item }

  init(name: String) { item = InstalledItem { $0.name = name } }

  subscript<Value>(dynamicMember field: KeyPath<InstalledItem, Value>) -> Value { item[keyPath: field] }

  /// Nil: it has another state than this version knows, or the daemon has not seen its file.
  var state: InstalledState? { InstalledState(rawValue: item.state) }
  /// What may start one that has ended by itself, beside the next start of lulld and the user.
  var starters: String? {
    var words = (item.starters ?? []).map { reason in
      switch LaunchReason(rawValue: reason) {
      case .data: "data on a connection that was kept"
      case .notification: "an answer to its notification"
      case .url: "a link (\((item.schemes ?? []).joined(separator: ", ")))"
      case .keepalive: "its keep-alive"
      case .user, .boot, .crash, nil: reason
      }
    }
    let last = words.popLast()
    return words.isEmpty ? last : last.map { "\(words.joined(separator: ", ")) or \($0)" }
  }
  var unwritten: String? { item.isWaiting ? "it is being written" : item.detail }

  func encode(to encoder: any Encoder) throws {
    try item.encode(to: encoder)
    try encoder.add([
      "state": state?.rawValue, "unwritten": unwritten, "command": command, "mistake": mistake,
    ])
  }
}

/// The report of `lull daemon status`. The keys of its JSON are a promise: new keys may be added, these stay.
struct DaemonStateReport: Encodable, Equatable {
  let daemon: DaemonItem
  let socket: String
  /// The programs that are managed, and those of them that sleep.
  let programs: Int
  let asleep: Int
  let remarks: [String]

  init(_ status: StatusReport, socket: String) {
    (daemon, self.socket, remarks) = (status.daemon, socket, status.remarks)
    let managed = status.programs.filter { $0.managed != nil }
    programs = managed.count
    asleep = managed.count { $0.state == "suspended" }
  }

  func encode(to encoder: any Encoder) throws {
    try daemon.encode(to: encoder)
    try encoder.add(["socket": socket, "programs": programs, "asleep": asleep, "remarks": remarks])
  }
}

struct SoundReport: Encodable, Equatable {
  struct Place: Encodable, Equatable {
    let program: String
    let session: SessionItem
  }

  var devices: [DeviceItem]
  var sessions: [Place] = []

  init(_ items: [Message]) throws(WireError) {
    devices = try items.records(DeviceItem.self)
    sessions = try items.records(SessionItem.self).map { Place(program: $0.program, session: $0) }
  }
}

/// The report of `lull wakes`. The keys of its JSON are a promise: new keys may be added, these stay.
struct WakesReport: Encodable, Equatable {
  struct Sum: Encodable, Equatable {
    let reason: String
    /// The sender, or the line in words; nil for reasons without one.
    @OrNull var by: String?
    var count: Int64 = 0
    /// Seconds since 1970.
    var last = 0.0
    @OrNull var longestWaitMicroseconds: Int64?
  }

  let name: String
  let count: Int64
  /// The time of the oldest entry of the program, in seconds since 1970; nil when there is none.
  @OrNull var since: Double?
  let wakes: [Sum]

  /// The entries are those of one program, oldest first.
  init(name: String, _ entries: [EntryItem]) {
    var sums: [Sum] = []
    for entry in entries where entry.what == "woke" {
      let reason = entry.cause ?? ""
      let by = entry.peer ?? entry.detail
      let index = sums.firstIndex { $0.reason == reason && $0.by == by } ?? sums.count
      if index == sums.count { sums.append(Sum(reason: reason, by: by)) }
      sums[index].count += entry.count
      sums[index].last = entry.at
      if let waited = entry.waitedMicroseconds {
        sums[index].longestWaitMicroseconds = max(waited, sums[index].longestWaitMicroseconds ?? 0)
      }
    }
    self.name = name
    count = sums.reduce(0) { $0 + $1.count }
    since = entries.first?.at
    wakes = sums.sorted { ($0.count, $0.last) > ($1.count, $1.last) }
  }
}
