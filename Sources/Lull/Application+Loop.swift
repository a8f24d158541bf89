internal import LullEngine
internal import LullSystem

extension Application {
  /// The run loop: events one by one, in order, until ``stop()`` is called or the application is terminated.
  public func run() {
    isStopping = phase == .ended
    while !isStopping { turn(timeoutMilliseconds: -1) }
  }

  /// Lets ``run()`` return after the handler that called this.
  public func stop() {
    isStopping = true
  }

  /// Readable while ``dispatch()`` has something to do; for another event loop, level-triggered.
  public var fileDescriptor: Int32 { reactor.fileDescriptor }

  /// Does what is to be done now, and does not wait. Not to be called from a handler.
  public func dispatch() {
    turn(timeoutMilliseconds: 0)
  }

  /// The program has handled what it was woken for and sleeps now.
  ///
  /// Takes effect when everything that is ready has been handled and every stream has sent what was written
  /// to it. An event that comes before takes it back: its handler calls this again. So does a wake of which
  /// the program learns only by being told: `operator`, `keepalive`, `notification`, `refill`.
  public func finishedHandlingWake() {
    tickets.finished()
    if !isDispatching { reactor.ring() }
  }

  /// Calls `handler` after so many seconds, and again and again with `repeats`.
  ///
  /// The time is CLOCK_BOOTTIME, which goes on in the program's sleep, but a timer wakes nobody: what is due
  /// in the sleep fires once at the next wake. To be woken, set a keep-alive or schedule a notification.
  @discardableResult
  public func schedule(
    after seconds: Double, repeats: Bool = false, handler: @escaping () -> Void
  ) -> TimerToken {
    let shortest = Interval.milliseconds(1)
    let interval = max(Interval(clampingSeconds: seconds), repeats ? shortest : .zero)
    let timer = TimerToken(interval: interval, repeats: repeats, due: clock() + interval, handler: handler)
    timers.insert(timer)
    settle()
    return timer
  }

  /// Calls `handler` whenever a descriptor is readable: a signal descriptor, standard input, a timer of its
  /// own.
  ///
  /// It is not held: it does not wake the program. For that see
  /// ``hold(_:as:offload:tcpKeepalive:onReadable:)``.
  ///
  /// - Throws: `notPollable`, or `system` for what is no descriptor or is watched already.
  public func watch(_ descriptor: Int32, handler: @escaping () -> Void) throws(LullError) -> Watch {
    do {
      let token = try reactor.add(descriptor, .readable) { _ in handler() }
      return Watch(reactor, token, descriptor)
    } catch {
      throw error.isNotPermitted
        ? .notPollable("descriptor \(descriptor) cannot be watched") : LullError(error)
    }
  }

  private func turn(timeoutMilliseconds: Int32) {
    precondition(!isDispatching, "run() and dispatch() cannot be called from a handler")
    isDispatching = true
    defer {
      isDispatching = false
      settle()
    }
    reactor.wait(timeoutMilliseconds: timeoutMilliseconds)
    if linesComeFirst {
      dispatchSources()
      reactor.dispatchRest()
      elapse()
    } else {
      reactor.dispatchRest()
      elapse()
      dispatchSources()
    }
    fireTimers()
    handleNotices()
    sayDone()
    handOver()
    link.fallAsleep { self.firstReadyLine(among: self.lines) }
    handleNotices()
  }

  /// The sender of the bytes that woke the program waits; nobody waits for what the daemon says of it. But
  /// the launch comes before the streams' events, and after `ready` nothing is read before the next notice.
  private var linesComeFirst: Bool { phase == .launched && !hasHandedOver }

  private func dispatchSources() {
    reactor.dispatchSources {
      handleNotices()
      return phase != .ended
    }
  }

  private func elapse() {
    guard phase != .ended else { return }
    handleNotices()
    link.elapse(at: clock(), resume: phase == .launched ? applicationState : nil)
    handleNotices()
    let work = deferred
    deferred.removeAll()
    for item in work where phase != .ended { item() }
  }

  private func fireTimers() {
    guard !link.isSuspended else { return }
    for timer in timers.takeDue(at: clock()) where timer.isValid && phase != .ended {
      if !timer.repeats { timer.cancel() }
      timer.handler()
      handleNotices()
    }
  }

  private func sayDone() {
    guard let ticket = tickets.payable(evenUnowed: lines.contains(where: \.isReadElsewhere)), link.isUp,
      !streams.contains(where: \.hasUnsentBytes)
    else { return }
    // A descriptor that the program watches itself may have become ready after the program finished.
    let unseen = lines.filter { $0.isForeign }
    guard firstReadyLine(among: unseen) == nil else { return tickets.willHandle() }
    link.tell(.done(ticket))
    tickets.paid()
  }

  /// Before the loop waits: arms the timer, and rings when something is to be done without waiting.
  func settle() {
    guard !isDispatching else { return }
    let timer = link.isSuspended ? nil : timers.next
    let next = [timer, link.deadline].compactMap(\.self).min()
    reactor.arm(at: next?.nanoseconds)
    if link.hasWork || !deferred.isEmpty { reactor.ring() }
  }
}

/// A descriptor that the application's loop watches, until it is cancelled; before the descriptor is closed.
public final class Watch {
  private weak var reactor: Reactor?
  private let token: Reactor.Token
  private let descriptor: Int32

  init(_ reactor: Reactor, _ token: Reactor.Token, _ descriptor: Int32) {
    self.reactor = reactor
    self.token = token
    self.descriptor = descriptor
  }

  /// Ends the watch; does nothing the second time.
  public func cancel() {
    reactor?.remove(token, descriptor)
  }
}
