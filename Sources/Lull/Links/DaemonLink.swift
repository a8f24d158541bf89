internal import LullChannel
internal import LullEngine
internal import LullSystem
internal import LullWire

/// The link to the daemon: it keeps notices until they are asked for, and finds the daemon again.
///
/// When the connection breaks, the link reconnects after 10 ms, then less and less often, down to once in 5
/// s. Requests that waited for an answer fail with `connectionLost`; the application declares everything anew
/// after `restored`.
final class DaemonLink: Link {
  let registration: Registration
  /// The name in the daemon's answer: a program that `lull run` started keeps the name that it got there.
  private(set) var name: String
  private(set) var launch = Launch(.user)
  /// As the daemon said at the registration.
  private var daemonSuspends = Suspension.none, daemonWakesMachine = false
  private var access: DaemonAccess
  private var notices: [LinkNotice] = []

  /// Connects and registers. A daemon that ends before it has answered is lost as one that ends later: the
  /// notice `lost` comes first, and the next daemon is looked for.
  ///
  /// Throws `daemonUnavailable` when no process listens there, and `refused` when another user's process
  /// does, or the path cannot be a socket's: no daemon could be started in that place.
  init(
    path: String, user: UInt32, patience: Interval, registration: Registration, loop: EventLoop
  ) throws(LullError) {
    self.registration = registration
    name = registration.name
    access = DaemonAccess(path: path, user: user, patience: patience, loop: loop)
    do throws(ControlSocketError) {
      try access.connect { [weak self] in self?.ready($0) }
    } catch {
      switch error {
      case .system(let error): throw .daemonUnavailable("\(path): \(error.message)")
      case .foreign, .unusable: throw .refused(error.description)
      }
    }
    // An unmanaged client is known by its first audio session.
    guard !isUnmanaged else {
      access.registered()
      return
    }
    do {
      launch = Launch(
        registered: try registered(exchange(.register(registration.request(resume: nil)))))
    } catch .connectionLost {
      // Why the program was started stands in its environment as well.
      launch = Launch { Identity.environment($0) }
    } catch {
      access.close()
      throw error
    }
  }

  deinit { access.close() }

  var isUp: Bool { access.isUp }
  var suspension: Suspension { isUp ? daemonSuspends : .none }
  var wakesMachine: Bool { isUp && daemonWakesMachine }
  var isUnmanaged: Bool { registration.isUnmanaged }
  var isSuspended: Bool { false }
  var hasWork: Bool { !notices.isEmpty }
  var deadline: Moment? { access.deadline }
  var alarm: Moment? { nil }

  func nextNotice() -> LinkNotice? { notices.isEmpty ? nil : notices.removeFirst() }

  func ask(_ request: Request, descriptor: Int32?) throws(LullError) -> Engine.Answer {
    guard isUp else { throw .connectionLost }
    let message = try reply(exchange(request, descriptor: descriptor))
    return try readable { () throws(WireError) in try request.answer(message) }
  }

  func notifications(all: Bool) throws(LullError) -> [SupervisedNotification] {
    guard isUp else { throw .connectionLost }
    _ = try reply(exchange(.scheduled(all: all)))
    let items = access.connection?.takeItems() ?? []
    return try readable { () throws(WireError) in
      var found: [SupervisedNotification] = []
      for item in items { if let one = try SupervisedNotification(item) { found.append(one) } }
      return found
    }
  }

  func tell(_ request: Request, descriptor: Int32?) {
    guard isUp else { return }
    let use: DaemonConnection.ReplyUse =
      if case .done(let ticket) = request { .done(ticket) } else { .ignored }
    // A broken connection is noticed by `receive`.
    try? send(request, descriptor: descriptor, use: use)
    if request == .bye { access.close() }
  }

  // The kernel stops the whole process: its handlers need not be suspended.
  func ready(_ line: LineID, _ readiness: LineReadiness) {}
  func fallAsleep(readyLine: () -> (LineID, LineReadiness)?) {}

  func elapse(at now: Moment, resume: ApplicationState) {
    if access.isRetryDue(at: now) {
      reconnect(resume)
    } else if let deadline, deadline <= now {
      drop()
    }
  }

  // MARK: The connection

  private func now() -> Moment { Moment(nanoseconds: LullSystem.Clock.boottime()) }

  private func drop() {
    let wasUp = isUp
    if access.drop(at: now()), wasUp { notices.append(.lost) }
  }

  private func reconnect(_ resume: ApplicationState) {
    guard access.reconnect(at: now(), onReady: { [weak self] in self?.ready($0) }) else { return }
    // The next daemon does not know which name was given to the command that this process is.
    var registration = registration
    registration.name = name
    do throws(LullError) {
      try send(.register(registration.request(resume: resume)), use: .registration)
    } catch {
      drop()
    }
  }

  @discardableResult private func registered(_ reply: Reply) throws(LullError) -> Message {
    let message = try self.reply(reply)
    name = message[.name] ?? name
    daemonSuspends =
      switch message[.suspender].flatMap(Vocabulary.Suspender.init) {
      case .cgroup: .cgroup
      case .signal: .signals
      case nil: .none
      }
    daemonWakesMachine = message[.wakesMachine] == "true"
    access.registered()
    return message
  }

  private func ready(_ readiness: LullSystem.Readiness) {
    access.connection?.handle(readiness)
    receive()
    access.connection?.updateInterest()
  }

  private func receive() {
    while let arrival = access.connection?.next() {
      switch arrival {
      case .notice(let notice): notices.append(notice)
      case .reply(let reply, let use): take(reply, use)
      case .broken: drop()
      }
    }
  }

  private func take(_ reply: Reply, _ use: DaemonConnection.ReplyUse) {
    switch use {
    case .ignored, .awaited: break
    case .done(let ticket): notices.append(.doneReceived(ticket))
    case .registration:
      guard (try? registered(reply)) != nil else { return drop() }
      notices.append(.restored)
    }
  }

  // MARK: Requests

  /// Sends a request and waits for its reply. A daemon that does not answer in time is given up, because a
  /// late reply would be matched to the wrong request.
  private func exchange(_ request: Request, descriptor: Int32? = nil) throws(LullError) -> Reply {
    guard let connection = access.connection else { throw .connectionLost }
    // The notices that came before the reply, or before the end.
    defer { receive() }
    do {
      return try connection.exchange(request, descriptor: descriptor, until: now() + access.patience)
    } catch {
      switch error {
      case .connectionLost, .timedOut:
        receive()
        drop()
      default: break
      }
      throw error
    }
  }

  private func send(
    _ request: Request, descriptor: Int32? = nil, use: DaemonConnection.ReplyUse
  ) throws(LullError) {
    guard let connection = access.connection else { throw .connectionLost }
    do {
      try connection.send(request, descriptor: descriptor, use: use)
    } catch {
      if error == .connectionLost { drop() }
      throw error
    }
  }

  private func reply(_ reply: Reply) throws(LullError) -> Message {
    switch reply {
    case .ok(let message): return message
    case .error(let code, let text): throw LullError(code, text, name: registration.name)
    }
  }

  private func readable<Value>(_ read: () throws(WireError) -> Value) throws(LullError) -> Value {
    do throws(WireError) {
      return try read()
    } catch {
      throw .refused("the daemon's reply makes no sense: \(error.message)")
    }
  }
}
