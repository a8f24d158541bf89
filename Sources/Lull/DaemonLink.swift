internal import LullEngine
internal import LullSystem
internal import LullWire

/// The way to the daemon: requests out, replies matched in their order, notices kept until they are asked
/// for.
///
/// When the connection breaks, the link tries again, 10 ms after the break, then less and less often, down to
/// once in 5 s. Requests that waited for an answer fail with `connectionLost`; the application declares
/// everything anew after `restored`.
final class DaemonLink: Link {
  private enum State {
    case up
    /// Connected again; `register` is on its way.
    case registering(until: Moment)
    case down(retry: Moment)
    case closed
  }

  /// What becomes of the replies to come, in their order.
  fileprivate enum Expected {
    case ignored
    case awaited
    case done(Ticket)
    case registration
  }

  private static let firstRetry = Interval.milliseconds(10)
  private static let lastRetry = Interval.seconds(5)

  let registration: Registration
  /// As the daemon answered: a program that `lull run` started keeps the name it got there.
  private(set) var name: String
  private let path: String
  /// The user whose daemon it may be.
  private let user: UInt32
  /// How long an answer may take.
  private let patience: Interval
  private let reactor: Reactor
  private var state = State.closed
  private var retryAfter = firstRetry
  private var socket: DescriptorBox?
  private var token: Reactor.Token?
  private var reader = LineReader()
  private var buffer = ReceiveBuffer(capacity: 2 * Limits.maximumLine)
  private var expected: [Expected] = []
  private var answer: Reply?
  private var notices: [LinkNotice] = []

  /// Connects and registers. Throws `daemonUnavailable` when nobody listens there, and `refused` when another
  /// user does: no daemon could be started in that place.
  init(
    path: String, user: UInt32, patience: Interval, registration: Registration, reactor: Reactor
  ) throws(LullError) {
    self.path = path
    self.user = user
    self.patience = patience
    self.registration = registration
    self.reactor = reactor
    name = registration.name
    do throws(ControlSocketError) {
      try connect()
    } catch {
      switch error {
      case .system(let error): throw .daemonUnavailable("\(path): \(error.message)")
      case .foreign: throw .refused(error.description)
      }
    }
    state = .up
    do {
      try registered(exchange(.register(request(resume: nil)), nil))
    } catch {
      close()
      throw error
    }
  }

  deinit { close() }

  var isUp: Bool { if case .up = state { true } else { false } }
  var isSuspended: Bool { false }
  var hasWork: Bool { !notices.isEmpty }

  var deadline: Moment? {
    switch state {
    case .registering(let until): until
    case .down(let retry): retry
    case .up, .closed: nil
    }
  }

  func nextNotice() -> LinkNotice? {
    notices.isEmpty ? nil : notices.removeFirst()
  }

  func ask(_ call: Call) throws(LullError) -> LullEngine.Answer {
    guard isUp else { throw .connectionLost }
    let (request, descriptor) = call.request
    let message = try reply(exchange(request, descriptor))
    do throws(WireError) {
      return try call.answer(message)
    } catch {
      throw .refused("the daemon's reply makes no sense: \(error.message)")
    }
  }

  func open(_ session: SessionOpening) throws(LullError) -> SessionID {
    guard isUp else { throw .connectionLost }
    _ = try reply(exchange(.ring, session.ring))
    _ = try reply(exchange(.bell(inode: session.inode), session.bell))
    let message = try reply(exchange(.session(session.fields), nil))
    do throws(WireError) {
      return SessionID(try message.identifier(.session))
    } catch {
      throw .refused("the daemon's reply makes no sense: \(error.message)")
    }
  }

  func tell(_ remark: Remark) {
    guard isUp else { return }
    let (request, descriptor) = remark.request
    // A broken connection is noticed by `receive`.
    try? send(request, descriptor, remark.expected, until: now() + patience)
    if case .bye = remark { close() }
  }

  // The kernel stops the whole process: its handlers need not be suspended.
  func ready(_ line: LineID, _ readiness: LullEngine.Readiness) {}
  func fallAsleep(readyLine: () -> (LineID, LullEngine.Readiness)?) {}

  func elapse(at now: Moment, resume: ApplicationState?) {
    switch state {
    case .registering(let until) where until <= now: drop()
    case .down(let retry) where retry <= now: reconnect(resume)
    case .up, .closed, .registering, .down: break
    }
  }
}

extension DaemonLink {
  private func now() -> Moment { Moment(nanoseconds: LullSystem.Clock.boottime()) }

  private func request(resume: ApplicationState?) -> Request.Register {
    Request.Register(
      name: registration.name,
      modes: Modes.names.filter { registration.modes.contains($0.mode) }
        .compactMap { Request.Mode(rawValue: $0.name) },
      launch: registration.launch == .background ? .background : .foreground,
      exitsOnSuspend: registration.exitsOnSuspend,
      profile: registration.profile == .ios7 ? .ios7 : .ios4,
      resume: resume.map { $0 == .background ? .background : .active })
  }

  private func registered(_ reply: Reply) throws(LullError) {
    let message = try self.reply(reply)
    name = message[.name] ?? name
    retryAfter = DaemonLink.firstRetry
  }

  private func reply(_ reply: Reply) throws(LullError) -> Message {
    switch reply {
    case .ok(let message): return message
    case .error(let code, let text): throw LullError(code, text, name: registration.name)
    }
  }

  private func connect() throws(ControlSocketError) {
    let socket = try DescriptorBox(ControlSocket.connect(path: path, user: user))
    do throws(SystemError) {
      token = try reactor.add(socket.raw, .readable, isSupervisor: true) { [weak self] _ in self?.receive() }
    } catch {
      throw .system(error)
    }
    self.socket = socket
    reader = LineReader()
  }

  private func close() {
    state = .closed
    guard let socket else { return }
    if let token { reactor.remove(token, socket.raw) }
    socket.close()
    (self.socket, token) = (nil, nil)
    expected.removeAll()
  }

  /// Gives the connection up and tries again later.
  private func drop() {
    guard socket != nil else { return }
    let wasUp = isUp
    close()
    if wasUp { notices.append(.lost) }
    retryLater()
  }

  private func retryLater() {
    state = .down(retry: now() + retryAfter)
    retryAfter = min(retryAfter.scaled(by: 2), DaemonLink.lastRetry)
  }

  private func reconnect(_ resume: ApplicationState?) {
    do {
      try connect()
      state = .registering(until: now() + patience)
      try send(.register(request(resume: resume)), nil, .registration, until: now() + patience)
    } catch {
      if socket == nil { retryLater() } else { drop() }
    }
  }
}

// Sending and receiving.
extension DaemonLink {
  /// Sends a request and waits for its reply. A daemon that does not answer in time is given up: a reply that
  /// came later would belong to no request.
  private func exchange(_ request: Request, _ descriptor: Int32?) throws(LullError) -> Reply {
    let until = now() + patience
    answer = nil
    try send(request, descriptor, .awaited, until: until)
    while true {
      receive()
      if let answer { return answer }
      guard let socket else { throw .connectionLost }
      let left = until - now()
      // The last look comes after the time has run out: a program that was frozen while it waited finds its
      // answer then.
      let ready = try? Socket.poll(socket.raw, .readable, timeoutMilliseconds: left.milliseconds)
      guard ready != [] else {
        drop()
        throw .timedOut(request.verb.rawValue)
      }
    }
  }

  private func send(
    _ request: Request, _ descriptor: Int32?, _ reply: Expected, until: Moment
  ) throws(LullError) {
    let bytes: [UInt8]
    do throws(WireError) {
      bytes = try request.message().encoded()
    } catch {
      throw .refused(error.message)
    }
    expected.append(reply)
    var rest = bytes[...]
    var descriptor = descriptor
    while let socket, !rest.isEmpty {
      switch try? UnixSocket.send(rest.span, descriptor: descriptor, to: socket.raw) {
      case .sent(let count):
        rest = rest.dropFirst(count)
        descriptor = nil
      case .wouldBlock:
        let left = (until - now()).milliseconds
        let ready = try? Socket.poll(socket.raw, .writable, timeoutMilliseconds: left)
        guard ready != [] else {
          drop()
          throw .timedOut(request.verb.rawValue)
        }
      case .closed, nil: drop()
      }
    }
    guard rest.isEmpty else { throw .connectionLost }
  }

  /// Takes everything that has come.
  private func receive() {
    while let socket {
      switch try? UnixSocket.receive(into: &buffer, from: socket.raw) {
      case .bytes(let count, _):
        reader.append(buffer.received)
        while self.socket != nil, let line = reader.next() { received(line) }
        // That was all, most likely; what came since makes the set readable again.
        if count < buffer.capacity { return }
      case .wouldBlock: return
      case .endOfStream, .descriptorLost, nil: return drop()
      }
    }
  }

  private func received(_ line: LineReader.Line) {
    // Not a message: the other end is no daemon, or the stream is out of step.
    guard case .message(let message) = line.content else { return drop() }
    switch message.answer {
    case .event:
      if let notice = LinkNotice(message) { notices.append(notice) }
    case .ok, .error:
      guard !expected.isEmpty, let reply = try? Reply(message) else { return drop() }
      settle(expected.removeFirst(), reply)
    case .item: break
    case nil: drop()
    }
  }

  private func settle(_ expected: Expected, _ reply: Reply) {
    switch expected {
    case .ignored: break
    case .awaited: answer = reply
    case .done(let ticket): notices.append(.heard(ticket))
    case .registration:
      guard (try? registered(reply)) != nil else { return drop() }
      state = .up
      notices.append(.restored)
    }
  }
}

extension Remark {
  fileprivate var expected: DaemonLink.Expected {
    if case .done(let ticket) = self { .done(ticket) } else { .ignored }
  }
}

extension Interval {
  /// For poll(2): rounded up, at least 0.
  fileprivate var milliseconds: Int32 { Int32(clamping: max(0, (nanoseconds + 999_999) / 1_000_000)) }
}
