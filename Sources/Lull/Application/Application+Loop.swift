internal import LullChannel
internal import LullEngine
internal import LullSystem
internal import LullWire

extension Application {
  /// The run loop: events one by one, in order, until ``stop()`` is called or the application is terminated.
  public func run() {
    isStopping = phase == .ended
    while !isStopping { turn(timeoutMilliseconds: -1) }
  }

  /// Lets ``run()`` return after the handler that called this.
  public func stop() { isStopping = true }

  /// Readable while ``dispatch()`` has something to do; for another event loop, level-triggered.
  public var fileDescriptor: Int32 { loop.reactor.raw }

  /// Handles the events that are ready, and does not wait. Not to be called from a handler.
  public func dispatch() { turn(timeoutMilliseconds: 0) }

  /// Tells that the program has handled its wake and may sleep. On another thread:
  /// ``Mailbox/finishedHandlingWake()``.
  ///
  /// The word takes effect when everything that is ready has been handled and every stream has sent its
  /// bytes. An event that comes before takes the word back, and its handler calls this again. A wake of which
  /// the program learns only from the notice does the same: `operator`, `keepalive`, `notification`,
  /// `refill`.
  public func finishedHandlingWake() {
    tickets.finished()
    if !isDispatching { loop.ring() }
  }

  /// Calls `handler` after `seconds`, and with `repeats` again after each `seconds`.
  ///
  /// The time is CLOCK_BOOTTIME, which goes on in the program's sleep. A timer that is due in the sleep fires
  /// once at the next wake. With `wakes` it is a wake itself, with the reason `timer`, but not in the first
  /// 15 s of a sleep; this needs the mode `voip`, and ends with ``finishedHandlingWake()``. It is for what
  /// cannot wait for the keep-alive, such as the next attempt to connect.
  @discardableResult
  public func schedule(
    after seconds: Double, repeats: Bool = false, wakes: Bool = false, handler: @escaping () -> Void
  ) -> TimerToken {
    let shortest = Interval.milliseconds(1)
    let interval = max(Interval(clampingSeconds: seconds), repeats ? shortest : .zero)
    let timer = TimerToken(
      interval: interval, repeats: repeats, wakes: wakes && modes.contains(.voip), due: clock() + interval,
      handler: handler)
    timers.insert(timer)
    settle()
    return timer
  }

  /// Calls `handler` whenever a descriptor is readable: a signal descriptor, standard input, a timer
  /// descriptor.
  ///
  /// The descriptor is not held as a line: it does not wake the program. For that see
  /// ``hold(_:as:offload:tcpKeepalive:name:isEncrypted:onReadable:)``.
  ///
  /// - Throws: `notPollable`, or `system` for a number that is no open descriptor, or that is watched
  ///   already.
  public func watch(_ descriptor: Int32, handler: @escaping () -> Void) throws(LullError) -> Watch {
    do {
      return Watch(loop, try loop.add(descriptor, .readable) { _ in handler() })
    } catch {
      throw LullError(watching: descriptor, error)
    }
  }

  private func turn(timeoutMilliseconds: Int32) {
    precondition(!isDispatching, "run() and dispatch() cannot be called from a handler")
    isDispatching = true
    defer {
      isDispatching = false
      settle()
    }
    loop.wait(timeoutMilliseconds: timeoutMilliseconds)
    if linesComeFirst {
      dispatchSources()
      loop.dispatchRest()
      elapse()
    } else {
      loop.dispatchRest()
      elapse()
      dispatchSources()
    }
    fireTimers()
    handleNotices()
    takePosted()
    setWakeTimer()
    sayDone()
    sayHandling()
    handOver()
    link.fallAsleep { self.firstReadyLine(among: self.lines) }
    handleNotices()
  }

  /// Lines are handled before notices, because the sender of the bytes that woke the program waits and the
  /// daemon does not. But the launch comes before the streams' events, and after `ready` nothing is read
  /// before the next notice.
  private var linesComeFirst: Bool { phase == .launched && !hasHandedOver }

  private func dispatchSources() {
    loop.dispatchSources {
      handleNotices()
      return phase != .ended
    }
  }

  private func elapse() {
    guard phase != .ended else { return }
    handleNotices()
    link.elapse(at: clock(), resume: applicationState)
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

  private func takePosted() {
    guard !link.isSuspended else { return }
    for work in mailbox.takeWork() where phase != .ended {
      work(self)
      handleNotices()
    }
  }

  private func sayDone() {
    guard let ticket = tickets.payable(evenUnowed: lines.contains(where: \.isReadElsewhere)), link.isUp,
      !streams.contains(where: \.hasUnsentBytes), !lines.contains(where: { $0.onWritable != nil })
    else { return }
    // The race: a descriptor that the program watches itself may have become ready after the program
    // finished.
    let unseen = lines.filter { $0.isForeign }
    guard firstReadyLine(among: unseen) == nil else { return tickets.willHandle() }
    link.tell(.done(ticket: ticket))
    tickets.paid()
  }

  /// The race: an event came after `done` and before the freeze, and its handler has given it to a task or to
  /// another thread. From outside nothing shows that it is still handled.
  private func sayHandling() {
    guard applicationState == .background, link.isUp, let ticket = tickets.takenBack else { return }
    link.tell(.handling(ticket: ticket))
    tickets.tookBack()
  }

  /// Prepares the next wait of the loop: arms the timers, and rings the doorbell when there is work already.
  func settle() {
    guard !isDispatching else { return }
    let timer = link.isSuspended ? nil : timers.next
    let next = [timer, link.deadline].compactMap(\.self).min()
    loop.arm(at: next?.nanoseconds, alarm: link.alarm?.nanoseconds)
    if link.hasWork || !deferred.isEmpty || (!link.isSuspended && mailbox.hasWork) { loop.ring() }
  }

  private func setWakeTimer() {
    let next = timers.nextWaking
    guard next != wakeTimer, link.isUp, phase != .ended else { return }
    wakeTimer = next
    link.tell(.wakeIn(next.map { ($0 - clock()).clamped(to: Bounds.wakeTimers) }))
  }

  /// The timers for which the supervisor woke the program are due by its clock, which may be a faster one.
  func wakeTimerFired() {
    guard let wakeTimer else { return }
    self.wakeTimer = nil
    if timers.hasten(until: wakeTimer, to: clock()) { tickets.willHandle() }
  }
}
