import LullEngine

enum Arrival: CaseIterable {
  case data, ping, fin, rst, connection
  /// The connection is made, or takes bytes again.
  case room
}

/// A connection whose bytes wait in the kernel while its program is frozen.
struct FakeLine {
  let id: LineID
  let kind: LinePurpose
  let offload: Offload
  let listens: Bool
  /// True when the program waits for the connection to take bytes.
  private(set) var isFull: Bool
  private(set) var hasRoom = false
  private(set) var messages = 0, pings = 0, connections = 0
  private(set) var finished = false, failed = false
  /// True when the line was reported once since it was armed.
  var fired = false
  /// True when the program has the line open and no thread reads it, except a thread that naps.
  var isLeaked = false
  var isDatagram = false
  /// True for an eventfd, which somebody outside or the kernel makes ready while the program is frozen.
  var isEventfd = false
  /// True when an edge-triggered set has told of what is there.
  private(set) var isTold = false
  private(set) var lastArrival = Moment(nanoseconds: 0)
  /// True when the program has read something there that it has not answered at once.
  fileprivate(set) var wasRead = false
  private var arrivals: UInt64 = 0
  /// True when the program closed its descriptor without a word.
  var isClosed = false

  init(
    id: LineID, kind: LinePurpose, offload: Offload, listens: Bool, isFull: Bool = false
  ) {
    self.id = id
    self.kind = kind
    self.offload = offload
    self.listens = listens
    self.isFull = isFull
  }

  /// The result of a poll now, level-triggered.
  var readiness: LineReadiness? {
    if isClosed { return nil }
    if failed { return .error }
    if finished { return .closed }
    if connections > 0 { return .accept }
    if pings == 1, messages == 0, !offload.isEmpty { return .ping }
    if messages + pings > 0 { return .data }
    return hasRoom ? .writable : nil
  }

  /// A number that stays the same while the unread bytes do.
  var trace: UInt64 { arrivals }

  var hasEnded: Bool { finished || failed }

  /// True when the connection takes no bytes, and may take some again.
  var isStuck: Bool { isFull && !hasRoom && !hasEnded }

  mutating func standStill(_ time: Interval) { lastArrival = lastArrival + time }

  mutating func receive(_ arrival: Arrival, at now: Moment) {
    guard !(isDatagram || isEventfd) || arrival == .data else { return }
    (isTold, lastArrival, arrivals) = (false, now, arrivals + 1)
    switch arrival {
    case .connection where listens: connections += 1
    case .data where !listens: messages += 1
    case .ping where !listens: pings += 1
    case .fin where !listens: finished = true
    case .rst where !listens: failed = true
    case .room where isFull: hasRoom = true
    case .connection, .data, .ping, .fin, .rst, .room: break
    }
  }

  /// The program reads all that there is. FIN and RST stay until the program closes the line.
  mutating func drain(isEdge: Bool = false) {
    guard !isLeaked else { return }
    isTold = isEdge
    if messages + pings > 0 { wasRead = true }
    messages = 0
    pings = 0
    connections = 0
    if hasRoom { (isFull, hasRoom) = (false, false) }
  }

  mutating func takePing() -> Bool {
    guard readiness == .ping else { return false }
    pings = 0
    return true
  }
}

/// The cgroup and the lines of one program.
final class FakeCell {
  enum Freezer: Equatable {
    case running
    /// The engine asks for a freeze, and the program is to be looked at.
    case asked(Ticket)
    /// Somebody wrote 1; some tasks may still run.
    case stopping(Ticket)
    /// No task runs; the lines are not watched yet, or not any more.
    case stopped(Ticket)
    /// No task runs and the lines are watched, one-shot.
    case watched(Ticket)
  }

  private(set) var freezer = Freezer.running
  var lines: [FakeLine] = []
  /// The moment at which the oldest bytes came that nobody could read.
  private(set) var unseenSince: Moment?
  /// The waits of its threads, when the last observation was to find them.
  private var waits: FakeWaits?
  /// The unread bytes at the observation, on lines that only a napping thread may read.
  private var seen: [(line: LineID, trace: UInt64)] = []
  private var plan: WatchPlan?

  var runs: Bool {
    switch freezer {
    case .running, .asked, .stopping: true
    case .stopped, .watched: false
    }
  }

  func standStill(_ time: Interval) {
    unseenSince = unseenSince.map { $0 + time }
    for index in lines.indices { lines[index].standStill(time) }
  }

  func ask(_ ticket: Ticket) { freezer = .asked(ticket) }

  func freeze(_ ticket: Ticket) { freezer = .stopping(ticket) }

  /// The last task stops. False when the freeze was taken back meanwhile.
  func stop(_ ticket: Ticket) -> Bool {
    guard freezer == .stopping(ticket) else { return false }
    freezer = .stopped(ticket)
    return true
  }

  func takeLost() -> [LineID] {
    let lost = lines.filter(\.isClosed).map(\.id)
    lines.removeAll(where: \.isClosed)
    return lost
  }

  /// Takes the waits of the threads from here on; nil counts every line.
  func observe(_ waits: FakeWaits?) {
    self.waits = waits
    seen = lines.map { ($0.id, $0.trace) }
    if !lines.contains(where: counts) { unseenSince = nil }
  }

  /// The lines are watched from now on; returns what the last poll found.
  func watch(_ ticket: Ticket, _ plan: WatchPlan = WatchPlan()) -> [(LineID, LineReadiness)]? {
    guard freezer == .stopped(ticket) else { return nil }
    freezer = .watched(ticket)
    self.plan = plan
    var ready: [(LineID, LineReadiness)] = []
    for index in lines.indices {
      lines[index].fired = fires(lines[index])
      guard lines[index].fired, let readiness = lines[index].readiness else { continue }
      ready.append((lines[index].id, readiness))
    }
    if !lines.contains(where: counts) { unseenSince = nil }
    return ready
  }

  /// True when something is there that a thread waits for, or may read.
  private func counts(_ line: FakeLine) -> Bool {
    guard line.readiness != nil, !line.isTold else { return false }
    guard let waits else { return true }
    guard let role = waits.role(line) else { return false }
    return role != .open || !isDisregarded(line)
  }

  private func isDisregarded(_ line: FakeLine) -> Bool {
    plan?.disregarded.contains(line.id) == true
      && seen.contains { $0.line == line.id && $0.trace == line.trace }
  }

  private func fires(_ line: FakeLine) -> Bool {
    guard counts(line), !isDisregarded(line) else { return false }
    guard line.readiness == .writable, waits?.role(line) == .open else { return true }
    return plan?.full.contains(line.id) == true
  }

  /// The program runs again and reads everything; returns the lines that ended.
  func thaw() -> [LineID] {
    freezer = .running
    (plan, seen) = (nil, [])
    return read()
  }

  /// Returns the line that is to be reported, if the arrival makes one fire.
  func receive(_ arrival: Arrival, onLine index: Int, at now: Moment) -> LineID? {
    lines[index].receive(arrival, at: now)
    guard !runs, counts(lines[index]) else { return nil }
    if unseenSince == nil { unseenSince = now }
    guard case .watched = freezer, !lines[index].fired, fires(lines[index]) else { return nil }
    lines[index].fired = true
    return lines[index].id
  }

  /// The program reads what it has; returns the lines that ended.
  func read() -> [LineID] {
    unseenSince = nil
    var ended: [LineID] = []
    for index in lines.indices {
      lines[index].drain(isEdge: waits?.style == .edgeSet)
      if lines[index].readiness != nil, !lines[index].isLeaked { ended.append(lines[index].id) }
    }
    return ended
  }

  /// A connection from which the program has read since the last call.
  func takeRead() -> LineID? {
    let read = lines.first { $0.wasRead && !$0.isDatagram && !$0.isEventfd }
    for index in lines.indices { lines[index].wasRead = false }
    return read?.id
  }

  /// The shell answers the ping and watches again; returns true when the line fires at once.
  func answerPing(_ id: LineID) -> Bool {
    guard let index = lines.firstIndex(where: { $0.id == id }) else { return false }
    _ = lines[index].takePing()
    if lines.allSatisfy({ $0.readiness == nil }) { unseenSince = nil }
    return rewatch(id)
  }

  /// The shell watches a line again; returns true when it fires at once.
  func rewatch(_ id: LineID) -> Bool {
    guard let index = lines.firstIndex(where: { $0.id == id }), case .watched = freezer else { return false }
    lines[index].fired = lines[index].readiness != nil
    return lines[index].fired
  }
}
