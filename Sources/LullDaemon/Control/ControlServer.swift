import LullChannel
import LullSystem
import LullWire

final class ControlServer {
  /// Each answer with the members of sets keeps the list of those that are not sent yet.
  static let maximumMemberLists = 16

  let programs = ProgramClients()
  let staging: StagingArea
  private var acceptor: Acceptor
  private var admission: Admission
  private let journal: Journal
  private var table: ClientTable
  private var turns = ServingTurns()
  private var departures: [ProgramClients.Departure] = []
  private var reader: RequestReader

  init(_ listener: DescriptorBox, _ services: SharedServices) {
    journal = services.journal
    reader = RequestReader(journal)
    acceptor = Acceptor(listener, services)
    admission = Admission(services.options)
    table = ClientTable(services)
    staging = StagingArea(services)
  }

  func open() throws(SystemError) { try acceptor.open() }

  var listener: DescriptorBox { acceptor.listener }
  subscript(slot: Slot) -> Client? { table[slot] }
  var hasOutput: Bool { table.hasOutput }
  var hasRoomForMembers: Bool { table.memberLists < Self.maximumMemberLists }

  // MARK: Connections

  func accept(role: (_ pid: Int32) -> Client.Role) {
    for _ in 0..<Acceptor.acceptedAtOnce {
      switch acceptor.accept() {
      case .nobody: return
      case .refused: continue
      case .came(let descriptor, let isLent):
        do throws(Rejection) {
          try admit(descriptor, isLent: isLent, role: role)
        } catch {
          acceptor.refuse(descriptor, error)
        }
        if isLent { acceptor.takeBack() }
      }
    }
  }

  private func admit(
    _ descriptor: DescriptorBox, isLent: Bool, role: (Int32) -> Client.Role
  ) throws(Rejection) {
    let peer = try PeerProcess.identify(descriptor, journal)
    let role = role(peer.pid)
    // Facts that were read by the number are about this process only if it has the number still. A child of a
    // dead process may go on with the connection, and would pass for a process outside its program.
    guard Process.isNumbered(peer.pidfd.raw) else {
      throw Rejection(.refused, .init(.peerEnded))
    }
    let program = role.program
    try admission.checkRoom(
      for: peer.pid, ofProgram: program.map { programs.connections(of: $0).count }, all: table.count,
      isLent: isLent)
    let client: Client
    do {
      client = try table.insert(descriptor, of: peer, as: role, isLent: isLent)
    } catch {
      throw Rejection(.tooManyClients, .init(.connectionUnwatchable, error: "\(error)"))
    }
    admission.entered(peer.pid)
    if let program { programs.connect(client, to: program) }
  }

  /// Makes connections those of a program: they came before their processes belonged to it.
  func enter(_ id: AppID, where belongs: (_ pid: Int32) -> Bool) {
    for client in table.outside where belongs(client.pid) && Process.isNumbered(client.pidfd.raw) {
      programs.enter(client, id)
    }
  }

  func close(_ client: Client) {
    guard table.remove(client) else { return }
    admission.left(client.pid)
    if client.isLent { acceptor.takeBack() }
    staging.drop(client)
    departures.append(programs.left(client))
  }

  func nextDeparture() -> ProgramClients.Departure? {
    departures.isEmpty ? nil : departures.removeFirst()
  }

  // MARK: Asking

  func begin(_ ready: [ServingTurns.Ready]) { turns.begin(ready, at: Clock.boottime()) }

  func nextReady() -> ServingTurns.Ready? { turns.next(at: Clock.boottime()) }

  func readsDue(of client: Client, _ readiness: Readiness) -> Int? {
    table.readsDue(of: client, readiness)
  }

  func next(from client: Client, reads: inout Int) -> RequestReader.Incoming? {
    while true {
      switch reader.next(from: client, reads: &reads) {
      case .request(let request): return request
      case .refused(let reply): send(reply.message, to: client)
      case .lost(let reply):
        send(reply.message, to: client)
        closeAfterFlush(client)
      case .end:
        // The peer may only have ended its requests.
        if client.isDone { close(client) } else { closeAfterFlush(client) }
        return nil
      case .nothing: return nil
      }
    }
  }

  private func closeAfterFlush(_ client: Client) {
    client.channel.finish()
    table.markDirty(client)
  }

  /// Holds the client's requests back: the reply to the last one comes later.
  func wait(_ client: Client) {
    client.channel.pause()
    table.markDirty(client)
  }

  func resume(_ client: Client) {
    client.channel.proceed()
    table.markDirty(client)
  }

  // MARK: Telling

  func send(_ message: Message, to client: Client, descriptor: DescriptorBox? = nil) {
    table.send(message, to: client, descriptor: descriptor)
  }

  func broadcast(_ message: Message, to followed: Followed) { table.broadcast(message, to: followed) }

  func follow(_ client: Client, followed: Followed, follows: Bool) {
    if follows { client.followed.insert(followed) } else { client.followed.remove(followed) }
  }

  /// The first slice is queued at once. The rest follows while the client takes it, and its further requests
  /// wait until then.
  func answer(_ report: Report, to client: Client, _ records: Records) {
    table.begin(report, to: client, records)
  }

  func flush(_ client: Client, _ records: Records) {
    if !table.flush(client, records) { close(client) }
  }

  func flushNext(_ records: Records) -> Bool {
    guard let client = table.nextDirty() else { return false }
    flush(client, records)
    return true
  }

  // MARK: Descriptors that are handed over

  func stage(_ client: Client, descriptor: DescriptorBox?, _ keep: (DescriptorBox, inout Staged) -> Reply)
    -> Reply
  {
    guard let descriptor else { return .missingDescriptor }
    guard !acceptor.leadsHere(descriptor) else {
      return .error(.badValue, .init(.ownConnection))
    }
    return staging.stage(client) { keep(descriptor, &$0) }
  }

  // MARK: Time

  var deadline: Int64? { [staging.deadline, acceptor.opensAgainAt].compactMap(\.self).min() }

  func timePassed(now: Int64) {
    staging.dropOld(at: now)
    acceptor.openAgain(at: now)
  }
}

struct RequestReader: ~Copyable {
  /// The number of reads of one client in a turn: a client that sends faster than the daemon answers must not
  /// keep the others waiting.
  static let readsAtOnce = 8

  typealias Incoming = (message: Message, descriptor: DescriptorBox?)

  enum Outcome {
    case request(Incoming)
    /// A text line that is no request.
    case refused(Reply)
    /// A text line after which nothing more can be read from the client.
    case lost(Reply)
    case end
    case nothing
  }

  private let journal: Journal
  private var buffer = ReceiveBuffer(capacity: 16_384)

  init(_ journal: Journal) { self.journal = journal }

  /// The bytes that have been read come first, then the socket, with at most `reads` reads.
  mutating func next(from client: Client, reads: inout Int) -> Outcome {
    let channel = client.channel
    while !client.isWaiting, !client.isClosing {
      if let incoming = channel.next() { return outcome(incoming) }
      guard !channel.isHeldUp, reads > 0 else { return .nothing }
      reads -= 1
      switch channel.receive(into: &buffer) {
      case .bytes: break
      case .nothing: return .nothing
      case .ended(let end): return outcome(end)
      }
    }
    return .nothing
  }

  private func outcome(_ incoming: LullChannel.Incoming) -> Outcome {
    switch incoming {
    case .message(let message, let descriptor): .request((message, descriptor))
    case .invalid(let error): .refused(Reply(error))
    case .ended(let end): outcome(end)
    }
  }

  private func outcome(_ end: ChannelEnd) -> Outcome {
    if case .failed(let error) = end { journal.noteUnexpected(error, except: .closed) }
    return end.reply.map(Outcome.lost) ?? .end
  }
}

struct ServingTurns {
  typealias Ready = (client: Slot, readiness: Readiness)

  /// The time that the clients of one turn may take together, in nanoseconds: a wake must not wait for many
  /// of them.
  static let time: Int64 = 5_000_000

  private var waiting: [Ready] = []
  private var end: Int64 = 0
  /// The client that is served first when the last turn had no time for it.
  private var first: Slot?

  mutating func begin(_ ready: [Ready], at now: Int64) {
    let start = ready.firstIndex { $0.client == first } ?? 0
    waiting = Array((ready[start...] + ready[..<start]).reversed())
    (first, end) = (nil, now + Self.time)
  }

  /// Clients that get no time are ready in the next turn too, and come first then.
  mutating func next(at now: Int64) -> Ready? {
    guard now < end else {
      first = waiting.last?.client
      waiting = []
      return nil
    }
    return waiting.popLast()
  }
}
