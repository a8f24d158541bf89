import LullSystem
import LullWire

// The life of lulld.
extension Guard {
  func start() throws(SystemError) {
    let (own, other) = try UnixSocket.pair()
    var request = SpawnRequest([daemonPath, "--guarded"] + options.shared)
    request.environment = Identity.allEnvironment()
    request.passed = [
      .init(listener.raw, as: DaemonOptions.listenerNumber), .init(other.raw, as: DaemonOptions.linkNumber),
    ]
    request.passed += options.lockPassed
    request.openFileLimit = options.openFileLimit
    // Out of reach of the terminal's keys: this process answers them for both.
    request.group = .newSession
    let child = try Process.spawn(request)
    let pid = child.pid
    let (pidfd, status) = child.boxes()
    other.close()
    _ = try Socket.poll(status.raw, .readable, timeoutMilliseconds: 5000)
    if case .failed(let error) = try Process.execResult(status.raw) { throw error }
    ward = .running(pid: pid, pidfd: pidfd, since: Clock.boottime())
    wardStatus = nil
    let link = GuardLink(own, maximumOutput: .max)
    try watch(link, pidfd)
    shelf.restore(over: link)
  }

  func startAgain() {
    do {
      try start()
    } catch {
      let wait = deaths.next(after: 0)
      report("cannot be started (\(error))", wait, left: nil)
      schedule(.start, after: wait)
    }
  }

  /// Guards a lulld whose guard died; it tells anew what is to be kept.
  func takeOver() throws(SystemError) {
    let pidfd = DescriptorBox(Descriptor(owning: DaemonOptions.wardNumber))
    let link = GuardLink(
      DescriptorBox(Descriptor(owning: DaemonOptions.linkNumber)), maximumOutput: .max)
    // lulld itself made the pair of sockets.
    let pid = try UnixSocket.peer(of: link.descriptor.raw).pid
    ward = .running(pid: pid, pidfd: pidfd, since: Clock.boottime())
    wardEpoll = DescriptorBox(Descriptor(owning: DaemonOptions.wardEpollNumber))
    try watch(link, pidfd)
    link.tell(Message(.begin))
  }

  private func watch(_ link: GuardLink, _ pidfd: DescriptorBox) throws(SystemError) {
    self.link = link
    try epoll.add(link.descriptor.raw, token: Source.link.rawValue, interest: .readable)
    try epoll.add(pidfd.raw, token: Source.ward.rawValue, interest: .readable)
  }

  /// Reads everything that lulld has said.
  func heard() {
    guard let link else { return }
    _ = link.flush()
    guard link.receive(&buffer) else {
      try? epoll.remove(link.descriptor.raw)
      self.link = nil
      // The end of lulld is told a moment later.
      schedule(.yield, after: Self.yieldingTime)
      return
    }
    while let (message, descriptor) = link.next() { heard(message, descriptor) }
  }

  private static var yieldingTime: Int64 { 1_000_000_000 }

  /// A lulld that lives without a link has started another guard: two must not guard it.
  func yield() {
    guard case .running = ward, link == nil else { return }
    Startup.complain("lull-guard: the link to lulld is lost; lulld has another guard")
    outcome = 1
  }

  private func heard(_ message: Message, _ descriptor: DescriptorBox?) {
    guard let verb = GuardVerb(rawValue: message.verb) else { return }
    switch verb {
    case .store:
      guard let descriptor, !shelf.store(message, descriptor) else { return }
      link?.tell(Message(.full).adding(.name, message[.name]))
    case .forget: shelf.forget(message)
    case .anew: shelf.clear()
    case .restored, .trying, .tried: shelf.heard(verb, of: message[.name])
    case .stopping:
      isStopping = true
      if !isScheduled(.kill) { schedule(.kill, after: Self.endingTime) }
    case .restore, .left, .begin, .reaped, .full, .thawed: break
    }
  }

  /// Thaws everything first; what the daemon still said is read before it is forgotten.
  func wardEnded() {
    guard case .running(_, let pidfd, let since) = ward else { return }
    thawAll(forgetting: true)
    // This process holds the lock still: whoever finds it stopped must find its name.
    try? Leftovers().begin(root: options.cgroupRoot)
    while link != nil, hasMore { heard() }
    childrenChanged()
    try? epoll.remove(pidfd.raw)
    (ward, wardEpoll) = (.ended, nil)
    if let link { try? epoll.remove(link.descriptor.raw) }
    link = nil
    due = []
    guard !isStopping, wardStatus != .exited(0) else { return leave() }
    let life = Clock.boottime() - since
    // One that ends by itself could not start: that is no program's fault.
    let left = isCrash ? shelf.daemonDied(after: life) : nil
    // A daemon that hung has lived for the alarm's time at least, and did nothing in it.
    let wait = deaths.next(after: wardStatus == .signaled(Signal.alarm) ? 0 : life)
    report(how, wait, left: left)
    options.restarts += 1
    if wait == 0 { startAgain() } else { schedule(.start, after: wait) }
  }

  private var hasMore: Bool {
    guard let link else { return false }
    return (try? Socket.poll(link.descriptor.raw, .readable, timeoutMilliseconds: 0))?.contains(.readable)
      ?? false
  }

  private var isCrash: Bool { if case .exited = wardStatus { false } else { true } }

  private var how: String {
    switch wardStatus {
    case .exited(let code)?: "ended with status \(code)"
    case .signaled(Signal.alarm)?: "hung for \(Daemon.longestTurn) s and was ended"
    case .signaled(let signal)?: "was ended by \(Signal.name(of: signal))"
    case nil: "ended"
    }
  }

  private func report(_ how: String, _ wait: Int64, left: String?) {
    let when = wait == 0 ? "now" : "in \(Double(wait / 1_000_000) / 1000) s"
    var text = "lull-guard: lulld \(how); every program runs; starting it again \(when)"
    if let left { text += "; \(left) is left running: lulld died of it \(Shelf.maximumDeaths) times" }
    Startup.complain(text)
  }
}

// A lulld that stands still.
extension Guard {
  /// It is never killed for that alone: somebody may look at it. One that is stopped again and again is
  /// continued less and less often, with every program running.
  func wardStopped() {
    thawAll()
    let wait = stops.next(after: Clock.boottime() - proceededAt)
    if wait == 0 { proceed() } else { schedule(.proceed, after: wait) }
  }

  func proceed() {
    proceededAt = Clock.boottime()
    // It believes that its programs sleep.
    link?.tell(Message(.thawed))
    sendWard(Signal.continue)
  }

  /// How long something may wait for a lulld whose parent this is not, in nanoseconds.
  private static var lookTime: Int64 { 1_000_000_000 }

  /// Where lulld is not this process's child nothing tells that it is stopped, but then its epoll set stays
  /// readable. The set is polled and not watched: in a second set it would count as nested, and slow down
  /// each change to it.
  func waitForWork() throws(SystemError) {
    guard let set = wardEpoll else { return }
    guard !isScheduled(.look), !isScheduled(.proceed) else {
      _ = try Socket.poll(epoll.raw, .readable, timeoutMilliseconds: -1)
      return
    }
    var entries = [PollEntry(epoll.raw, .readable), PollEntry(set.raw, .readable)]
    try Socket.pollMany(&entries, timeoutMilliseconds: -1)
    if !entries[1].readiness.isEmpty { schedule(.look, after: Self.lookTime) }
  }

  func lookAtWard() {
    guard case .running(let pid, _, _) = ward, (try? Process.isStopped(pid)) == true else { return }
    wardStopped()
  }
}
