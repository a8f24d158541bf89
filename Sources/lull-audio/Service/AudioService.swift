import LullAudio
import LullChannel
import LullRing
import LullSystem
import LullWire

/// The loop of lull-audio: lulld's messages, the programs' doorbells and the timer of the next pass.
final class AudioService {
  /// The seconds that a turn may take before the alarm ends this process, and lulld starts another.
  private static let longestTurn = 4
  private static let linkNumber: Int32 = 3

  private let lulld: LulldLink
  private let reactor: Reactor<Openings.Source>
  private let audience: Audience
  private let players: Routes<Renderer>
  private let recorders: Routes<Capturer>
  private let straight: StraightStreams
  private let openings: Openings
  private var statusPage: StatusPage?
  private var pendingRing: DescriptorBox?
  private var pendingDoorbell: DescriptorBox?
  private var buffer = ReceiveBuffer(capacity: Limits.maximumLine)
  private var told = ""

  init(_ options: Options) throws(SystemError) {
    let lulld = LulldLink(DescriptorBox(try Descriptor.duplicating(Self.linkNumber)))
    self.lulld = lulld
    reactor = try Reactor()
    openings = Openings(in: reactor)
    audience = Audience(report: { lulld.tell($0.message()) })
    players = Self.players(options, lulld, for: audience)
    straight = StraightStreams(audience: audience, report: { lulld.tell($0.message()) })
    recorders = Self.recorders(options, lulld)
    try lulld.watch(in: reactor)
  }

  func run() throws(SystemError) {
    while lulld.isThere {
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
      guard lulld.isThere else { break }
      try pass()
    }
  }

  private func pass() throws(SystemError) {
    let now = Clock.boottime()
    if lulld.endsClaims(now: now) { closeUnclaimed() }
    let next = [
      players.pass(now: now), recorders.pass(now: now), straight.pass(now: now), lulld.deadline,
    ].compactMap(\.self).min()
    statusPage?.show(players.usualDevice, players: players.sessions, recorders: recorders.sessions)
    statusPage?.show(devices: players.devices + recorders.devices)
    complainOnce()
    try reactor.arm(at: next)
    try lulld.updateInterest(in: reactor)
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
    openings.silence(id)
  }

  // MARK: Messages of lulld

  private func obey(_ readiness: Readiness) {
    lulld.handle(readiness)
    while case .bytes(let isAll) = lulld.receive(into: &buffer) {
      while let (message, descriptor) = lulld.takeMessage() { obey(message, descriptor) }
      if isAll { return }
    }
    if lulld.follow(in: reactor) { disown() }
  }

  private func obey(_ message: MessageToAudio, _ descriptor: DescriptorBox?) {
    switch message {
    case .statusPage:
      statusPage = descriptor.flatMap { try? SharedMemory(inherited: $0.raw) }.map(StatusPage.init)
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
      straight.listen(
        to: one.pid, of: one.program, at: one.server, silence: one.silence, measures: one.measures)
    case .leave(let program): straight.leave(program)
    case .linger: if let descriptor { lulld.linger(for: descriptor) }
    }
  }

  private func open(_ opening: AudioOpening) {
    let (ringFile, doorbellSocket) = (pendingRing, pendingDoorbell)
    (pendingRing, pendingDoorbell) = (nil, nil)
    guard let request = SessionRequest(opening), let ringFile, let doorbellSocket,
      let ring = Self.map(ringFile, request), let file = try? FileIdentity.of(ringFile.raw)
    else { return lulld.tell(.cut(opening.session, .badFormat)) }
    let id = request.id
    close(id)
    let doorbell = Doorbell(doorbellSocket)
    let earlier = openings.unclaimed(file)
    let isClaimed = earlier.map { claim($0, as: request, opening.fields, doorbell: doorbell) } ?? false
    if let earlier { close(earlier) }
    openings.begin(id, ring: file, doorbell: doorbell)
    guard !isClaimed else { return }
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
    lulld.tell(.cut(opening.session, .badPosition))
  }

  private static func map(_ file: DescriptorBox, _ request: SessionRequest) -> RingServer? {
    let frameBytes = request.format.frameBytes
    let bytes = RingServer.headerBytes + request.frames * frameBytes
    guard let memory = try? SharedMemory(received: file.raw, count: bytes) else { return nil }
    return RingServer(memory, capacity: request.frames, frameBytes: frameBytes)
  }

  private func close(_ id: UInt64) {
    openings.end(id)
    players.remove(id, now: Clock.boottime())
    recorders.remove(id, now: Clock.boottime())
  }

  // MARK: The next lulld

  /// Plays on without a lulld. The next one gives the same numbers to other sessions and programs, so each
  /// session gives up its number, and nothing is told of it until it is claimed.
  private func disown() {
    (pendingRing, pendingDoorbell) = (nil, nil)
    closeUnclaimed()
    straight.leaveAll()
    audience.disown()
    for (old, new) in openings.disown() {
      players.renumber(old, to: new)
      recorders.renumber(old, to: new)
    }
  }

  private func claim(
    _ earlier: UInt64, as request: SessionRequest, _ fields: Request.Session, doorbell: Doorbell
  ) -> Bool {
    let now = Clock.boottime()
    return switch fields.direction {
    case .play: players.claim(earlier, as: request, doorbell: doorbell, on: fields.device, now: now)
    case .capture: recorders.claim(earlier, as: request, doorbell: doorbell, on: fields.device, now: now)
    }
  }

  /// Ends the sessions that no program has claimed in time: nobody could end them any more.
  private func closeUnclaimed() { for id in openings.unclaimed { close(id) } }
}

extension AudioService {
  private static func players(
    _ options: Options, _ lulld: LulldLink, for audience: Audience
  ) -> Routes<Renderer> {
    Routes(
      usual: options.device,
      make: { name in
        Renderer(
          audience: audience, closeAfter: options.closeAfter,
          open: { request throws(SinkError) in try DeviceOpener.play(name, request) },
          report: { lulld.tell($0.message(on: name)) })
      },
      canOpen: { name in (try? DeviceOpener.play(name, SinkRequest())) != nil },
      report: { lulld.tell($0.message) })
  }

  private static func recorders(_ options: Options, _ lulld: LulldLink) -> Routes<Capturer> {
    Routes(
      usual: options.device,
      make: { name in
        Capturer(
          open: { request throws(SinkError) in try DeviceOpener.capture(name, request) },
          report: { lulld.tell($0.message(on: name)) })
      },
      canOpen: { name in (try? DeviceOpener.capture(name, SinkRequest())) != nil },
      report: { lulld.tell($0.message) })
  }
}
