import LullAudio
import LullChannel
import LullEngine
import LullRing
import LullSystem
import LullWire

/// The one loop of lull-audio, on one thread: lulld's messages, the programs' doorbells and the timer of the
/// next pass.
final class Service {
  private enum Source {
    /// The messages of lulld.
    case link
    /// The lull-audio that takes over.
    case heir
    /// The doorbell of the session with this number.
    case doorbell(UInt64)
  }

  /// The seconds that a turn may take before the alarm ends this process, and lulld starts another.
  private static let longestTurn = 4
  private static let linkNumber: Int32 = 3, boardNumber: Int32 = 4, formerNumber: Int32 = 5

  private let options: Options
  private let link: MessageChannel
  private let board: Board
  private let reactor: Reactor<Source>
  private let players: Routes<Renderer>
  private let recorders: Routes<Capturer>
  private let straight: StraightStreams
  private let doorbells: Doorbells<Source>
  private let succession: Succession
  private var pendingRing: DescriptorBox?
  private var pendingDoorbell: DescriptorBox?
  private var buffer = ReceiveBuffer(capacity: Limits.maximumLine)
  private var told = ""

  init(_ options: Options) throws(SystemError) {
    let socket = DescriptorBox(try Descriptor.duplicating(Self.linkNumber))
    // A lulld that lets the queue overflow hangs; the next lulld starts another lull-audio.
    let link = MessageChannel(socket, overload: .dropPeer)
    (self.options, self.link) = (options, link)
    board = Board(try SharedMemory(inherited: Self.boardNumber))
    reactor = try Reactor()
    doorbells = Doorbells(in: reactor)
    let hasFormer = options.hasFormer
    succession = Succession(former: hasFormer ? DescriptorBox(Descriptor(owning: Self.formerNumber)) : nil)
    let audience = Audience(report: { link.tell($0.message().message()) })
    players = Self.players(options, link, for: audience, from: succession.ahead)
    straight = StraightStreams(audience: audience, report: { link.tell($0.message().message()) })
    recorders = Self.recorders(options, link)
    try link.watch(in: reactor, as: .link)
  }

  /// Until lulld is gone, or the next lull-audio has every session.
  private var isNeeded: Bool { succession.isAwaited ?? (link.inputEnd == nil) }

  /// Runs until lulld is gone. Returns what is to be left when the devices are closed.
  func run() throws(SystemError) -> Succession {
    while isNeeded {
      Alarm.cancel()
      try reactor.wait()
      Alarm.set(seconds: Self.longestTurn)
      _ = try reactor.takeExpiration()
      for place in reactor.events {
        guard let event = reactor[place] else { continue }
        switch event.source {
        case .link: obey(event.readiness)
        case .heir: giveUpSessions()
        case .doorbell(let id): silence(id)
        }
      }
      guard isNeeded else { break }
      try pass()
    }
    return succession
  }

  private func pass() throws(SystemError) {
    let now = Clock.boottime()
    let next = [
      players.pass(now: now), recorders.pass(now: now), straight.pass(now: now), succession.until,
    ].compactMap(\.self).min()
    succession.settle()
    board.show(players.usualDevice, players: players.sessions, recorders: recorders.sessions)
    board.show(devices: players.devices + recorders.devices)
    complainOnce()
    try reactor.arm(at: next)
    try link.updateInterest(in: reactor)
  }

  private func complainOnce() {
    let complaint = players.complaint.isEmpty ? recorders.complaint : players.complaint
    guard complaint != told else { return }
    told = complaint
    complain("no sound: the device \(complaint); `aplay -L` lists the devices, `lull doctor` helps")
  }

  private func silence(_ id: UInt64) {
    players.touch(id)
    recorders.touch(id)
    doorbells.silence(id)
  }

  // MARK: Messages of lulld

  private func obey(_ readiness: Readiness) {
    link.handle(readiness)
    while case .bytes(let isAll) = link.receive(into: &buffer) {
      while let incoming = link.next() {
        if case .message(let message, let descriptor) = incoming { obey(message, descriptor) }
      }
      if isAll { return }
    }
    if link.inputEnd != nil { link.unwatch(in: reactor) }
  }

  private func obey(_ line: Message, _ descriptor: DescriptorBox?) {
    // Both programs are of one build: what cannot be read was not written by lulld.
    guard let message = try? MessageToAudio.parse(line) else { return }
    switch message {
    case .ring: pendingRing = descriptor
    case .doorbell: pendingDoorbell = descriptor
    case .open(let opening): open(opening)
    case .order(let session, let order):
      players.order(UInt64(session.number), order, now: Clock.boottime())
      recorders.order(UInt64(session.number), order, now: Clock.boottime())
    case .route(let session, let device):
      players.move(UInt64(session.number), to: device, now: Clock.boottime())
      recorders.move(UInt64(session.number), to: device, now: Clock.boottime())
    case .close(let session): close(UInt64(session.number))
    case .listen(let one):
      straight.listen(to: one.pid, of: one.program, at: one.server, silence: one.silence)
    case .leave(let program): straight.leave(program)
    case .linger: if let descriptor { succession.linger(for: descriptor, in: reactor, as: .heir) }
    }
  }

  /// Gives up the sessions that the next lull-audio asks for. It waits for each answer.
  private func giveUpSessions() {
    while let sessions = succession.next() {
      for id in sessions {
        doorbells.unwatch(id)
        players.giveUp(id, now: Clock.boottime())
        recorders.giveUp(id, now: Clock.boottime())
      }
      succession.confirm()
    }
  }

  private func open(_ opening: AudioOpening) {
    let (ringFile, doorbellSocket) = (pendingRing, pendingDoorbell)
    (pendingRing, pendingDoorbell) = (nil, nil)
    guard let request = SessionRequest(opening), let ringFile, let doorbellSocket,
      let ring = Self.map(ringFile, request), let file = try? FileStatus.of(ringFile.raw)
    else {
      link.tell(MessageFromAudio.cut(opening.session, .badFormat).message())
      return
    }
    let id = request.id
    close(id)
    let inode = file.identity.inode
    takeOver(request, opening.fields, ring: inode)
    succession.begin(id, ring: inode)
    let doorbell = Doorbell(doorbellSocket)
    doorbells.watch(doorbell, as: .doorbell(id), of: id)
    let device = opening.fields.device
    switch opening.fields.direction {
    case .capture:
      guard let session = CaptureSession(request, ring: ring, doorbell: doorbell) else { break }
      return recorders.add(session, id: id, to: device, now: Clock.boottime())
    case .play:
      guard let session = PlaySession(request, ring: ring, doorbell: doorbell) else { break }
      return players.add(session, id: id, to: device, now: Clock.boottime())
    }
    ring.setError(.badPosition)
    ring.setState(.cut)
    doorbell.ring()
    link.tell(MessageFromAudio.cut(opening.session, .badPosition).message())
  }

  private func takeOver(_ request: SessionRequest, _ fields: Request.Session, ring: UInt64) {
    let device = fields.device ?? options.device
    let isOpen = fields.direction == .play ? players.isOpen(device) : nil
    succession.takeOver(request, ring: ring, on: device, isOpen: isOpen)
  }

  private static func map(_ file: DescriptorBox, _ request: SessionRequest) -> RingServer? {
    let frameBytes = request.format.frameBytes
    let bytes = RingServer.headerBytes + request.frames * frameBytes
    guard let memory = try? SharedMemory(received: file.raw, count: bytes) else { return nil }
    return RingServer(memory, capacity: request.frames, frameBytes: frameBytes)
  }

  private func close(_ id: UInt64) {
    succession.end(id)
    doorbells.unwatch(id)
    players.remove(id, now: Clock.boottime())
    recorders.remove(id, now: Clock.boottime())
  }
}
