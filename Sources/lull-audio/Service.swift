import LullAudio
import LullEngine
import LullSystem
import LullWire

/// One thread, one loop: lulld's lines, the programs' bells and the next pass's timer.
final class Service {
  /// How many seconds a pass may take before the alarm ends this process, and lulld starts another.
  private static let longestTurn = 4
  private static let boardNumber: Int32 = 4
  private static let linkToken = UInt64.max
  private static let timerToken = UInt64.max - 1

  private let options: Options
  private let link: Link
  private let board: Board
  private let epoll: Epoll
  private let timer: Timer
  private let players: Routes<Renderer>
  private let recorders: Routes<Capturer>
  private var bells: [UInt64: Bell] = [:]
  private var pendingRing: DescriptorBox?
  private var pendingBell: DescriptorBox?
  private var armed: Int64?
  private var bellBuffer = ReceiveBuffer(capacity: 64)
  private var waitsForRoom = false
  private var told = ""

  init(_ options: Options) throws(SystemError) {
    let link = try Link()
    (self.options, self.link) = (options, link)
    board = Board(try SharedMemory(inherited: Self.boardNumber))
    epoll = try Epoll()
    timer = try Timer(.boottime)
    players = Self.players(options, link)
    recorders = Self.recorders(options, link)
    try epoll.add(link.descriptor.raw, token: Self.linkToken, interest: .readable)
    try epoll.add(timer.raw, token: Self.timerToken, interest: .readable)
  }

  /// Runs until lulld is gone.
  func run() throws(SystemError) {
    var ready = ReadyList(capacity: 32)
    while true {
      Alarm.cancel()
      try epoll.wait(into: &ready, timeoutMilliseconds: -1)
      Alarm.set(seconds: Self.longestTurn)
      for index in 0..<ready.count {
        switch ready[index].token {
        case Self.linkToken: guard obey() else { return }
        case Self.timerToken:
          _ = try timer.expirations()
          armed = nil
        case let id:
          silence(id)
        }
      }
      try pass()
    }
  }

  private func pass() throws(SystemError) {
    let now = Clock.boottime()
    let earliest = min(players.pass(now: now) ?? .max, recorders.pass(now: now) ?? .max)
    let next = earliest == .max ? nil : earliest
    board.show(players.usualDevice, players.sessions, recorders.sessions)
    board.show(devices: players.devices + recorders.devices)
    complainOnce()
    if let next, next != armed {
      try timer.arm(at: next)
    } else if next == nil, armed != nil {
      try timer.disarm()
    }
    armed = next
    guard link.hasMore != waitsForRoom else { return }
    waitsForRoom = link.hasMore
    try epoll.modify(
      link.descriptor.raw, token: Self.linkToken, interest: waitsForRoom ? [.readable, .writable] : .readable)
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
    guard let bell = bells[id], !bell.silence(&bellBuffer) else { return }
    // The program is gone, or will open its session anew: lulld closes this one.
    try? epoll.remove(bell.raw)
    bells[id] = nil
  }

  // MARK: Lines of lulld

  /// False when lulld is gone.
  private func obey() -> Bool {
    link.flush()
    guard let messages = link.receive() else { return false }
    for (message, descriptor) in messages { obey(message, descriptor) }
    return true
  }

  private func obey(_ message: Message, _ descriptor: DescriptorBox?) {
    switch SoundVerb(rawValue: message.verb) {
    case .ring: pendingRing = descriptor
    case .bell: pendingBell = descriptor
    case .open: open(message)
    case .order:
      guard let id = message.sessionID, let order = message.order else { return }
      players.order(id, order, now: Clock.boottime())
      recorders.order(id, order, now: Clock.boottime())
    case .route:
      guard let id = message.sessionID else { return }
      players.move(id, to: message[.device], now: Clock.boottime())
      recorders.move(id, to: message[.device], now: Clock.boottime())
    case .close:
      guard let id = message.sessionID else { return }
      close(id)
    default: break
    }
  }

  private func open(_ message: Message) {
    let (ringFile, bellSocket) = (pendingRing, pendingBell)
    (pendingRing, pendingBell) = (nil, nil)
    guard let id = message.sessionID, id < Self.timerToken else { return }
    guard let open = OpenMessage(message), let ringFile, let bellSocket,
      let ring = Self.map(ringFile, open.request)
    else { return link.tell(AudioReport.cut(id, .badFormat).message) }
    close(id)
    let bell = Bell(bellSocket)
    bells[id] = bell
    try? epoll.add(bell.raw, token: id, interest: .readable)
    if open.captures, let session = CaptureSession(open.request, ring: ring, bell: bell) {
      recorders.add(session, id: id, to: open.device, now: Clock.boottime())
    } else if !open.captures,
      let session = PlaySession(open.request, ring: ring, bell: bell)
    {
      players.add(session, id: id, to: open.device, now: Clock.boottime())
    } else {
      ring.setError(.badPosition)
      ring.setState(.cut)
      bell.ring()
      link.tell(AudioReport.cut(id, .badPosition).message)
    }
  }

  private static func map(_ file: DescriptorBox, _ request: SessionRequest) -> RingServer? {
    let frameBytes = request.format.frameBytes
    let bytes = RingServer.headerBytes + request.frames * frameBytes
    guard let memory = try? SharedMemory(received: file.raw, count: bytes) else { return nil }
    return RingServer(memory, capacity: request.frames, frameBytes: frameBytes)
  }

  private func close(_ id: UInt64) {
    if let bell = bells.removeValue(forKey: id) { try? epoll.remove(bell.raw) }
    players.remove(id, now: Clock.boottime())
    recorders.remove(id, now: Clock.boottime())
  }
}
