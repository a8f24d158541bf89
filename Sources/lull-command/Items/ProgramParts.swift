import LullWire

struct LeaseReport: Encodable, Equatable {
  let kind: String
  @OrNull var endsInSeconds: Double?
  let task: String?

  init(_ item: Message) throws(WireError) {
    kind = try item.string(.lease)
    endsInSeconds = try item.number(ifPresent: .endsInSeconds)
    task = item[.task]
  }
}

struct LineReport: Encodable, Equatable {
  let id: UInt64
  let program: String
  let kind: String
  let local: String
  let peer: String
  let unread: Int64?
  let offload: [String]?
  let answered: Int64?
  /// The process of a command that holds the line.
  let pid: Int64?
  /// The descriptor's number in that process.
  let fd: Int64?
  /// The number of descriptors in the epoll set that the line stands for; nil for any other line.
  let connections: Int64?
  /// True when the line has long been readable and is not read: only new bytes on it wake the program.
  let isDisregarded: Bool
  /// The name that the program gave the line; only of one that is kept.
  let name: String?
  /// True when the program has ended, and the line is kept for its next start; nil for any other line.
  let kept: Bool?
  /// The time from which it is kept, in seconds since 1970.
  let since: Double?

  /// True when the line stands for all descriptors of an epoll set.
  var isSet: Bool { kind == LineKind.set.rawValue }

  enum CodingKeys: String, CodingKey {
    case id, program, kind, local, peer, unread, offload, answered, pid, fd, connections, name, kept, since
    case isDisregarded = "disregarded"
  }

  init(_ item: Message) throws(WireError) {
    id = try item.unsigned(.id)
    program = try item.string(.program)
    kind = try item.string(.line)
    local = try item.string(.local)
    peer = try item.string(.peer)
    unread = try item.integer(ifPresent: .unread)
    offload = try item.list(ifPresent: .offload)
    answered = try item.integer(ifPresent: .answered)
    pid = try item.integer(ifPresent: .pid)
    fd = try item.integer(ifPresent: .fd)
    connections = try item.integer(ifPresent: .connections)
    isDisregarded = try item.flag(.disregarded)
    name = item[.name]
    kept = try item.flag(.kept) ? true : nil
    since = try item.number(ifPresent: .since)
  }
}

struct KeepAliveReport: Encodable, Equatable {
  let timeoutSeconds: Double
  var dueInSeconds: Double
  let runs: Int64

  init(_ item: Message) throws(WireError) {
    timeoutSeconds = try item.number(.timeoutSeconds)
    dueInSeconds = try item.number(.dueInSeconds)
    runs = try item.integer(.runs)
  }
}

struct OwnTimerReport: Encodable, Equatable {
  /// Seconds until the first timer is due; negative: it has been due for so long. Nil: none can be read.
  @OrNull var dueInSeconds: Double?
  /// True when there may be timers whose time cannot be read.
  let hidden: Bool
  /// Seconds until the command's signals are looked at for them, at the latest.
  @OrNull var lookInSeconds: Double?
  /// The shortest time between two wakes for the command's timers; nil: it is not woken for them.
  @OrNull var floorSeconds: Double?

  init(_ item: Message) throws(WireError) {
    dueInSeconds = try item.number(ifPresent: .dueInSeconds)
    hidden = try item.flag(.hidden)
    lookInSeconds = try item.number(ifPresent: .lookInSeconds)
    floorSeconds = try item.number(ifPresent: .floorSeconds)
  }
}

extension OwnTimerReport {
  mutating func age(by seconds: Double) {
    dueInSeconds = dueInSeconds.map { $0 - seconds }
    lookInSeconds = lookInSeconds.map { max(0, $0 - seconds) }
  }
}

struct WakeReport: Encodable, Equatable {
  let reason: String
  @OrNull var line: UInt64?
  /// The sender of the datagram, or the peer of the connection.
  @OrNull var peer: String?
  @OrNull var waitedMicroseconds: Int64?
  var agoSeconds: Double

  init(_ item: Message) throws(WireError) {
    reason = try item.string(.reason)
    line = try item.unsigned(ifPresent: .line)
    peer = item[.peer]
    waitedMicroseconds = try item.integer(ifPresent: .waitedMicroseconds)
    agoSeconds = try item.number(.agoSeconds)
  }
}

struct ProcessorReport: Encodable, Equatable {
  let seconds: Double
  /// What it used between its last two sleeps.
  @OrNull var secondsBetweenSleeps: Double?

  /// Nil where the daemon does not know it.
  init?(_ item: Message) throws(WireError) {
    guard let seconds = try item.number(ifPresent: .processorSeconds) else { return nil }
    self.seconds = seconds
    secondsBetweenSleeps = try item.number(ifPresent: .wakeProcessorSeconds)
  }
}

struct MemoryReport: Encodable, Equatable {
  let residentBytes: Int64
  /// What was resident before memory was given back the last time, and right after it.
  @OrNull var beforeBytes: Int64?
  @OrNull var afterBytes: Int64?
  let isCompacted: Bool

  enum CodingKeys: String, CodingKey {
    case residentBytes, beforeBytes, afterBytes
    case isCompacted = "compacted"
  }

  /// Nil where the daemon does not know it.
  init?(_ item: Message) throws(WireError) {
    guard let resident = try item.integer(ifPresent: .resident) else { return nil }
    residentBytes = resident
    beforeBytes = try item.integer(ifPresent: .residentBefore)
    afterBytes = try item.integer(ifPresent: .residentAfter)
    isCompacted = try !item.flag(.noCompact)
  }
}

/// A program's last sleep, and the refusal of the last attempt since.
struct SleepReport: Equatable {
  let agoSeconds: Double?
  let refusal: RefusalReport?

  init(_ item: Message) throws(WireError) {
    agoSeconds = try item.number(ifPresent: .agoSeconds)
    refusal = item[.refused].map { RefusalReport(reason: $0, detail: item[.detail]) }
  }
}

struct RefusalReport: Encodable, Equatable {
  /// A word of ``Vocabulary/Refusal``, or of a newer daemon's.
  let reason: String
  /// The obstacle, such as a thread or a descriptor.
  @OrNull var detail: String?
}

struct PurgeReport: Encodable, Equatable {
  let count: Int64
  /// The time since the last one.
  let agoSeconds: Double

  init(_ item: Message) throws(WireError) {
    count = try item.integer(.count)
    agoSeconds = try item.number(.agoSeconds)
  }
}
