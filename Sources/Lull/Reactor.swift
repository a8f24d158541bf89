internal import LullSystem

/// Descriptors, a timer and a bell in one set that can itself be watched by another event loop.
final class Reactor {
  typealias Token = UInt64
  typealias Handler = (Readiness) -> Void

  private let epoll: Epoll
  private let timer: Timer
  private let bell: EventDescriptor
  private var list = ReadyList(capacity: 64)
  private var handlers: [Token: Handler] = [:]
  private var lastToken: Token = 2
  private var armed: Int64?
  private var isRinging = false
  /// Dispatched before every other, so that a wake's reason is known before its bytes are read.
  private var first: Token?

  private static let timerToken: Token = 1
  private static let bellToken: Token = 2

  /// `wakesMachine`: the timer also ends the sleep of the machine, where that is permitted.
  init(wakesMachine: Bool) throws(LullError) {
    do {
      epoll = try Epoll()
      timer = try wakesMachine ? Timer.bestBoottime() : Timer(.boottime)
      bell = try EventDescriptor()
      try epoll.add(timer.raw, token: Reactor.timerToken, interest: .readable)
      try epoll.add(bell.raw, token: Reactor.bellToken, interest: .readable)
    } catch {
      throw LullError(error)
    }
  }

  var fileDescriptor: Int32 { epoll.raw }

  func add(_ raw: Int32, _ interest: Interest, isFirst: Bool = false, handler: @escaping Handler)
    throws(SystemError) -> Token
  {
    lastToken += 1
    try epoll.add(raw, token: lastToken, interest: interest)
    handlers[lastToken] = handler
    if isFirst { first = lastToken }
    return lastToken
  }

  /// Whether a descriptor can be watched: throws EPERM for a regular file or a directory, EBADF for no descriptor.
  func probe(_ raw: Int32) throws(SystemError) {
    do {
      try epoll.add(raw, token: 0, interest: [])
    } catch {
      guard error.isExisting else { throw error }
      return
    }
    try epoll.remove(raw)
  }

  func isFirst(_ token: Token) -> Bool { token == first }

  func modify(_ token: Token, _ raw: Int32, _ interest: Interest) {
    // It fails only for a descriptor that its owner has closed already, which epoll has then dropped.
    try? epoll.modify(raw, token: token, interest: interest)
  }

  /// Before the descriptor is closed.
  func remove(_ token: Token, _ raw: Int32) {
    guard handlers.removeValue(forKey: token) != nil else { return }
    try? epoll.remove(raw)
    if first == token { first = nil }
  }

  /// Makes the set readable at a moment; nil: not by time.
  func arm(at moment: Int64?) {
    guard moment != armed else { return }
    armed = moment
    do throws(SystemError) {
      if let moment { try timer.arm(at: moment) } else { try timer.disarm() }
    } catch {
      preconditionFailure("\(error)")
    }
  }

  /// Makes the set readable at once: something is to be done.
  func ring() {
    guard !isRinging else { return }
    isRinging = true
    // It fails only when the counter is full, and then it rings.
    try? bell.signal()
  }

  /// Waits and returns what is ready, the first source in front; the timer and the bell are reset.
  func wait(timeoutMilliseconds: Int32) -> [(token: Token, readiness: Readiness)] {
    do throws(SystemError) {
      let count = try epoll.wait(into: &list, timeoutMilliseconds: timeoutMilliseconds)
      var ready: [(token: Token, readiness: Readiness)] = []
      for index in 0..<count {
        let event = list[index]
        switch event.token {
        case Reactor.timerToken:
          armed = nil
          _ = try timer.expirations()
        case Reactor.bellToken:
          isRinging = false
          _ = try bell.drain()
        case first: ready.insert(event, at: 0)
        default: ready.append(event)
        }
      }
      return ready
    } catch {
      preconditionFailure("\(error)")
    }
  }

  /// Runs the handler of a source, unless it was removed since.
  func dispatch(_ token: Token, _ readiness: Readiness) {
    handlers[token]?(readiness)
  }
}
