import LullChannel
import LullSystem
import LullWire

struct ClientTable {
  /// The bytes of notices that may wait for a peer that does not read; with more it is dropped.
  private static let maximumOutput = 1 << 20
  /// The bytes that may wait for all clients together; above it, those for which most waits are dropped.
  private static let maximumTotal = 24 << 20
  /// The bytes from which on answers are made in small slices.
  private static let plenty = 4 << 20

  private let reactor: DaemonReactor
  private let journal: Journal
  private let closer: Closer
  private var clients = SlotTable<Client>()
  private var dirty: [Client] = []
  private let outputs = OutputTotal(plenty: plenty, maximum: maximumTotal)

  init(_ services: SharedServices) {
    (reactor, journal, closer) = (services.reactor, services.journal, services.closer)
  }

  var count: Int { clients.count }
  var hasOutput: Bool { !dirty.isEmpty }
  var memberLists: Int { clients.elements.count { $0.rest?.hasMembers == true } }
  subscript(slot: Slot) -> Client? { clients[slot] }
  /// The connections of processes outside every program.
  var outside: [Client] { clients.elements.filter { $0.role.program == nil } }

  mutating func insert(
    _ socket: DescriptorBox, of peer: PeerProcess, as role: Client.Role, isLent: Bool
  ) throws(SystemError) -> Client {
    let channel = MessageChannel(
      socket, overload: .holdUpRequests, maximumOutput: Self.maximumOutput, closer: closer, total: outputs)
    let client = clients.insert {
      Client(slot: $0, channel: channel, peer: peer, role: role, isLent: isLent)
    }
    do {
      try channel.watch(in: reactor, as: .client(client.slot))
    } catch {
      clients.remove(client.slot)
      throw error
    }
    return client
  }

  mutating func remove(_ client: Client) -> Bool {
    guard clients.remove(client.slot) != nil else { return false }
    client.channel.unwatch(in: reactor)
    client.channel.close()
    client.rest = nil
    return true
  }

  // MARK: Output

  mutating func send(_ message: Message, to client: Client, descriptor: DescriptorBox? = nil) {
    client.channel.queue(message, descriptor: descriptor)
    limitOutput(of: client)
  }

  mutating func broadcast(_ message: Message, to followed: Followed) {
    let listeners = clients.elements.filter { $0.followed.contains(followed) }
    guard !listeners.isEmpty else { return }
    var line: [UInt8] = []
    message.encodeTruncating(into: &line)
    for client in listeners {
      client.channel.queue(line: line)
      limitOutput(of: client)
    }
  }

  mutating func begin(_ report: Report, to client: Client, _ records: Records) {
    client.begin(report, records, within: outputs)
    markDirty(client)
  }

  mutating func markDirty(_ client: Client) {
    guard !client.isDirty else { return }
    client.isDirty = true
    dirty.append(client)
  }

  /// Drops clients that take too little, which are closed at the end of the turn: their ends may have
  /// consequences of their own.
  private mutating func limitOutput(of client: Client) {
    markDirty(client)
    while outputs.bytes > outputs.maximum,
      let heaviest = clients.elements.max(by: { $0.channel.queuedBytes < $1.channel.queuedBytes }),
      !heaviest.channel.isDone
    {
      heaviest.channel.overrun()
      markDirty(heaviest)
    }
  }

  mutating func nextDirty() -> Client? {
    while let client = dirty.popLast() {
      client.isDirty = false
      // A client that takes nothing costs no system call for each notice: its socket tells when there is
      // room.
      if client.isOverrun || !client.channel.awaitsRoom { return client }
    }
    return nil
  }

  /// Returns false when the connection is to be closed.
  func flush(_ client: Client, _ records: Records) -> Bool {
    if case .ended(let end) = client.deliver(records, within: outputs) {
      if case .failed(let error) = end { journal.noteUnexpected(error, except: .closed) }
      // All requests that the client sent before it went away are still carried out; its input ends with the
      // last of them.
      guard case .hungUp = end, !client.isClosing else { return false }
    }
    if client.isClosing, client.isDone { return false }
    return watch(client)
  }

  // MARK: Readiness

  /// The number of reads that a client's readiness allows; nil when nothing is read from it at all.
  mutating func readsDue(of client: Client, _ readiness: Readiness) -> Int? {
    let isGone = !readiness.isDisjoint(with: [.hangUp, .error])
    guard !client.isWaiting else {
      // The kernel reports a hang-up whatever interest is set, and would again and again until the command
      // runs.
      if isGone { client.channel.unwatch(in: reactor) }
      return nil
    }
    let isReadable = isGone || !readiness.isDisjoint(with: [.readable, .readHangUp])
    guard client.channel.isHeldUp else { return isReadable ? RequestReader.readsAtOnce : nil }
    guard client.rest == nil, !client.isClosing, client.channel.resume() else { return nil }
    markDirty(client)
    return isReadable ? RequestReader.readsAtOnce : 0
  }

  /// Returns false when the client cannot be watched any more, and is gone for good.
  private func watch(_ client: Client) -> Bool {
    guard client.channel.isWatched else {
      guard !client.isWaiting else { return true }
      let source = EventSource.client(client.slot)
      return journal.ignoring([], try client.channel.watch(in: reactor, as: source)) != nil
    }
    journal.ignoring(.removed, try client.channel.updateInterest(in: reactor))
    return true
  }
}
