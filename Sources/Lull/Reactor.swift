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
  /// The connection to the supervisor, which has a turn of its own.
  private var supervisor: Token?

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

  func add(_ raw: Int32, _ interest: Interest, isSupervisor: Bool = false, handler: @escaping Handler)
    throws(SystemError) -> Token
  {
    lastToken += 1
    try epoll.add(raw, token: lastToken, interest: interest)
    handlers[lastToken] = handler
    if isSupervisor { supervisor = lastToken }
    return lastToken
  }

  /// Whether a descriptor can be watched: throws EPERM for a regular file or a directory, EBADF for no
  /// descriptor.
  func probe(_ raw: Int32) throws(SystemError) {
    do {
      try epoll.add(raw, token: 0, interest: [])
    } catch {
      guard error.isExisting else { throw error }
      return
    }
    try epoll.remove(raw)
  }

  func modify(_ token: Token, _ raw: Int32, _ interest: Interest) {
    // It fails only for a descriptor that its owner has closed already, which epoll has then dropped.
    try? epoll.modify(raw, token: token, interest: interest)
  }

  /// Before the descriptor is closed.
  func remove(_ token: Token, _ raw: Int32) {
    guard handlers.removeValue(forKey: token) != nil else { return }
    try? epoll.remove(raw)
    if supervisor == token { supervisor = nil }
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

  /// Waits until something is ready; what it is stays known until the next wait.
  func wait(timeoutMilliseconds: Int32) {
    do throws(SystemError) {
      try epoll.wait(into: &list, timeoutMilliseconds: timeoutMilliseconds)
    } catch {
      preconditionFailure("\(error)")
    }
  }

  /// Runs the handlers of what the last wait found but the supervisor's, in the kernel's order, as long as
  /// `goesOn` after each. A source that was removed since is left out.
  func dispatchSources(while goesOn: () -> Bool) {
    for index in 0..<list.count {
      let event = list[index]
      guard event.token > Reactor.bellToken, event.token != supervisor else { continue }
      handlers[event.token]?(event.readiness)
      guard goesOn() else { return }
    }
  }

  /// Resets the timer and the bell when the last wait found them, and runs the supervisor's handler.
  func dispatchRest() {
    do throws(SystemError) {
      for index in 0..<list.count {
        let event = list[index]
        switch event.token {
        case Reactor.timerToken:
          armed = nil
          _ = try timer.expirations()
        case Reactor.bellToken:
          isRinging = false
          _ = try bell.drain()
        case supervisor: handlers[event.token]?(event.readiness)
        default: break
        }
      }
    } catch {
      preconditionFailure("\(error)")
    }
  }
}
