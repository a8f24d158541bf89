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
    /// The doorbell of the session with this number.
    case doorbell(UInt64)
  }

  /// The seconds that a turn may take before the alarm ends this process, and lulld starts another.
  private static let longestTurn = 4
  private static let linkNumber: Int32 = 3, boardNumber: Int32 = 4

  private let options: Options
  private let link: MessageChannel
  private let board: Board
  private let reactor: Reactor<Source>
  private let players: Routes<Renderer>
  private let recorders: Routes<Capturer>
  private let doorbells: Doorbells<Source>
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
    players = Self.players(options, link)
    recorders = Self.recorders(options, link)
    try link.watch(in: reactor, as: .link)
  }

  /// Runs until lulld is gone.
  func run() throws(SystemError) {
    while link.inputEnd == nil {
      Alarm.cancel()
      try reactor.wait()
      Alarm.set(seconds: Self.longestTurn)
      _ = try reactor.takeExpiration()
      for place in reactor.events {
        guard let event = reactor[place] else { continue }
        switch event.source {
        case .link: obey(event.readiness)
        case .doorbell(let id): silence(id)
        }
      }
      guard link.inputEnd == nil else { return }
      try pass()
    }
  }

  private func pass() throws(SystemError) {
    let now = Clock.boottime()
    let next = [players.pass(now: now), recorders.pass(now: now)].compactMap(\.self).min()
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
    }
  }

  private func open(_ opening: AudioOpening) {
    let (ringFile, doorbellSocket) = (pendingRing, pendingDoorbell)
    (pendingRing, pendingDoorbell) = (nil, nil)
    guard let request = SessionRequest(opening), let ringFile, let doorbellSocket,
      let ring = Self.map(ringFile, request)
    else {
      link.tell(MessageFromAudio.cut(opening.session, .badFormat).message())
      return
    }
    let id = request.id
    close(id)
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

  private static func map(_ file: DescriptorBox, _ request: SessionRequest) -> RingServer? {
    let frameBytes = request.format.frameBytes
    let bytes = RingServer.headerBytes + request.frames * frameBytes
    guard let memory = try? SharedMemory(received: file.raw, count: bytes) else { return nil }
    return RingServer(memory, capacity: request.frames, frameBytes: frameBytes)
  }

  private func close(_ id: UInt64) {
    doorbells.unwatch(id)
    players.remove(id, now: Clock.boottime())
    recorders.remove(id, now: Clock.boottime())
  }
}
