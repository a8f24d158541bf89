import LullChannel
import LullSystem
import LullWire

/// A connection to the daemon: one request at a time, each answered within ``bound``; notices are kept.
struct Connection: ~Copyable {
  struct Response {
    /// The records before the last line.
    var items: [Message] = []
    var ok: Message
    var descriptor: DescriptorBox?
  }

  /// The time that the daemon may take to answer, in nanoseconds. It answers at once or it hangs.
  static let bound: Int64 = 5_000_000_000

  /// The time that the daemon may take to answer from now on, in nanoseconds.
  var patience = Self.bound

  /// The way in which the next daemon is started; nil: it is not.
  private let start: DaemonStart?
  private let channel: MessageChannel
  private var buffer = ReceiveBuffer(capacity: Limits.maximumLine)
  private var notices: [Message] = []
  /// The descriptor of the last message.
  private var descriptor: DescriptorBox?
  /// A daemon that takes its programs back accepts late.
  private var hasAnswered = false
  /// False where nothing is told of the daemon's version and of waits.
  private var isTold = true
  private var version = VersionState.unknown

  private enum VersionState {
    case unknown
    /// Nothing is left to say about the version.
    case settled
    /// The other version is told with the first answer.
    case differs(OtherVersion)
  }

  /// Throws `noDaemon` when no process listens there.
  init(path: String, start: DaemonStart? = nil) throws(Failure) {
    self.start = start
    do {
      channel = MessageChannel(DescriptorBox(try UnixSocket.connect(path: path)), overload: .dropPeer)
    } catch {
      if error.isNoSuchFile || error.isConnectionRefused { throw .noDaemon }
      throw .failed("cannot connect to the daemon at \(path): \(error)")
    }
  }

  /// Connects to the daemon that comes in the place of this one's.
  ///
  /// Throws `noDaemon` when none does, and none is started.
  func next() throws(Failure) -> Connection { try Daemon.connect(starting: start) }

  /// Lets a reactor tell when notices may have come, after ``nextNotice()`` has returned nil.
  func watch<Source>(in reactor: Reactor<Source>, as source: Source) throws(Failure) {
    do {
      try channel.watch(in: reactor, as: source)
    } catch {
      throw .failed("cannot wait for the daemon: \(error)")
    }
  }

  /// To be called before another connection takes its place.
  func unwatch<Source>(in reactor: Reactor<Source>) { channel.unwatch(in: reactor) }

  /// Waits for notices, when ``nextNotice()`` has returned nil, until a moment of CLOCK_BOOTTIME in
  /// nanoseconds; false when it is over.
  @discardableResult
  func wait(until deadline: Int64? = nil) throws(Failure) -> Bool {
    do {
      return try channel.wait(until: deadline)
    } catch {
      throw .failed("cannot wait for the daemon: \(error)")
    }
  }

  /// A long answer may take any time, as long as it goes on.
  ///
  /// Throws `refused` with the daemon's code and message when the request was not carried out.
  mutating func ask(_ request: Request, descriptor given: DescriptorBox? = nil) throws(Failure) -> Response {
    if case .hello = request { version = .settled }
    if case .unknown = version { try greet() }
    guard case .differs(let other) = version else { return try exchange(request, given) }
    do throws(Failure) {
      let response = try exchange(request, given)
      Output.complain(other.text)
      version = .settled
      return response
    } catch {
      throw other.explained(error)
    }
  }

  /// Nothing is told of waits either.
  mutating func acceptAnyVersion() { (version, isTold) = (.settled, false) }

  /// Sends a request whose answer is taken by ``takeAnswer()``.
  mutating func post(_ request: Request) throws(Failure) {
    version = .settled
    try send(request, nil)
  }

  /// The last line of the answer to what was posted, or nil when it has not come yet.
  ///
  /// Throws as ``ask(_:descriptor:)`` does.
  mutating func takeAnswer() throws(Failure) -> Message? {
    while let message = try received() {
      switch message.answer {
      case .item: continue
      case .event: notices.append(message)
      case .ok, .error, nil: return try okay(message)
      }
    }
    return nil
  }

  private mutating func greet() throws(Failure) {
    version = .settled
    do throws(Failure) {
      version = OtherVersion(try exchange(.hello, nil).ok).map(VersionState.differs) ?? .settled
    } catch .refused {
      // The request itself will be refused for the same reason, and says so.
    }
  }

  private mutating func exchange(
    _ request: Request, _ given: DescriptorBox?
  ) throws(Failure) -> Response {
    try check(request)
    try send(request, given)
    // What is asked about a program waits where that is to register again.
    let message = request.message()
    let isAboutProgram = [Key.name, .url, .notification].contains { message[$0] != nil }
    let held = isAboutProgram ? Bounds.returning.nanoseconds : 0
    var items: [Message] = []
    while true {
      let message = try nextAnswer(patience: patience + held)
      switch message.answer {
      case .item: items.append(message)
      case .event: notices.append(message)
      case .ok, .error, nil:
        return Response(items: items, ok: try okay(message), descriptor: descriptor)
      }
    }
  }

  /// Throws `connectionLost` when the daemon closed the connection.
  mutating func nextNotice() throws(Failure) -> Message? {
    if !notices.isEmpty { return notices.removeFirst() }
    while let message = try received() {
      if message.answer == .event { return message }
    }
    return nil
  }

  private mutating func received() throws(Failure) -> Message? {
    while true {
      if let incoming = channel.next() { return try message(incoming) }
      switch channel.receive(into: &buffer) {
      case .bytes: continue
      case .nothing: return nil
      case .ended(let end): throw failure(end)
      }
    }
  }

  private func okay(_ message: Message) throws(Failure) -> Message {
    let reply: Reply?
    do { reply = try Reply(message) } catch { throw .unreadable(error) }
    switch reply {
    case .error(let code, let text): throw .refused(code, text)
    case .ok, nil: return message
    }
  }

  /// Refuses what can be no program's name: the daemon's answer would talk of the protocol.
  private func check(_ request: Request) throws(Failure) {
    guard let name = request.message()[.name], !ProgramName.isValid(name) else { return }
    throw .noName(name)
  }

  private func send(_ request: Request, _ descriptor: DescriptorBox?) throws(Failure) {
    do {
      channel.queue(line: try request.message().encoded(), descriptor: descriptor)
    } catch {
      throw .failed("the request is too long")
    }
    // A hang-up is no failure yet: a daemon that refuses a connection writes the reason before it closes.
    if case .ended(.failed(let error)) = channel.flush(), !error.isConnectionLost {
      throw .failed("cannot write to the daemon: \(error)")
    }
  }

  /// Queued bytes are sent meanwhile.
  private mutating func nextAnswer(patience: Int64) throws(Failure) -> Message {
    let start = Clock.boottime()
    let bound = hasAnswered ? patience : max(patience, DaemonWait.bound)
    if let message = try next(until: start + DaemonWait.silence) { return message }
    // Its guard looks after a daemon that was stopped. Both may have been.
    if !Leftover.continueDaemon(), !hasAnswered, isTold { DaemonWait.tell() }
    if let message = try next(until: start + bound) { return message }
    throw .failed("the daemon does not answer (waited \(DurationText.text(seconds: Double(bound) / 1e9)))")
  }

  private mutating func next(until deadline: Int64) throws(Failure) -> Message? {
    let incoming: Incoming?
    do {
      incoming = try channel.next(until: deadline, into: &buffer)
    } catch {
      throw .failed("cannot wait for the daemon: \(error)")
    }
    guard let incoming else { return nil }
    return try message(incoming)
  }

  private mutating func message(_ incoming: Incoming) throws(Failure) -> Message {
    hasAnswered = true
    switch incoming {
    case .message(let message, let descriptor):
      self.descriptor = descriptor
      return message
    case .invalid(let error): throw .unreadable(error)
    case .ended(let end): throw failure(end)
    }
  }

  private func failure(_ end: ChannelEnd) -> Failure {
    switch end {
    case .failed(let error) where !error.isConnectionLost: .failed("cannot read from the daemon: \(error)")
    case .tooLong: .unreadable(.tooLong)
    case .failed, .hungUp, .descriptorLost, .tooManyDescriptors, .overrun, .finished: .connectionLost
    }
  }
}
