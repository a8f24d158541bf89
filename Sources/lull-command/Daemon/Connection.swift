import LullChannel
import LullProgram
import LullSystem
import LullWire

/// A connection to the daemon: one request at a time, each answered within ``bound``; notices are kept. Where
/// it breaks, it is one to the next daemon, as long as nothing that this one began hangs on it.
struct Connection: ~Copyable {
  struct Response {
    var items: [Message] = []
    var ok: Message
    var descriptor: DescriptorBox?

    func records<Item: DescribedItem>(_ type: Item.Type) throws(Failure) -> [Item] {
      try readable(items.records(type))
    }

    var programNames: [String] { items.compactMap { $0.itemKind == .program ? $0[.name] : nil } }
  }

  /// The time that the daemon may take to answer, in nanoseconds. It answers at once or it hangs.
  static let bound: Int64 = 5_000_000_000

  /// The time within which the next daemon is asked, in nanoseconds.
  private static let restarts: Int64 = 30_000_000_000

  /// The time that the daemon may take to answer from now on, in nanoseconds.
  var patience = Self.bound

  /// The way in which the next daemon is started; nil: it is not.
  private let start: DaemonStart?
  private let channel: MessageChannel
  private var buffer = ReceiveBuffer(capacity: Limits.maximumLine)
  private var notices: [Message] = []
  private var descriptor: DescriptorBox?
  /// A daemon that takes its programs back accepts late.
  private var hasAnswered = false
  /// False where nothing is told of the daemon's version and of waits.
  private var isTold = true
  /// True once this daemon has begun what the next one has not.
  private var hasBegun = false
  private var isGreeted = false
  /// Another version than this one's, which is told with the first answer.
  private var otherVersion: OtherVersion?

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
  func next() throws(Failure) -> Connection {
    var next = try Daemon.connect(starting: start)
    (next.patience, next.isTold) = (patience, isTold)
    return next
  }

  func watch<Source>(in reactor: Reactor<Source>, as source: Source) throws(Failure) {
    try explained("cannot wait for the daemon", channel.watch(in: reactor, as: source))
  }

  /// To be called before another connection takes its place.
  func unwatch<Source>(in reactor: Reactor<Source>) { channel.unwatch(in: reactor) }

  /// Waits for notices, when ``nextNotice()`` has returned nil, until a moment of CLOCK_BOOTTIME in
  /// nanoseconds; false when it is over.
  func wait(until deadline: Int64) throws(Failure) -> Bool {
    for step in DaemonWait.Steps(until: deadline) {
      if try explained("cannot wait for the daemon", channel.wait(until: step)) { return true }
    }
    return false
  }

  // MARK: Requests

  /// A long answer may take any time, as long as it goes on.
  ///
  /// Throws `refused` with the daemon's code and message when the request was not carried out, `noDaemon`
  /// when this daemon has died and none comes, and `connectionLost` where the next one is not asked.
  mutating func ask(_ request: Request, descriptor given: DescriptorBox? = nil) throws(Failure) -> Response {
    if case .hello = request { isGreeted = true }
    try greet()
    guard request.mayBeAskedAgain else {
      let response = try askHere(request, given)
      hasBegun = true
      return response
    }
    guard !isBound else { return try askHere(request, given) }
    return try overRestart { (connection) throws(Failure) in try connection.askHere(request, given) }
  }

  /// Nil where no program has the name.
  mutating func askIfKnown(_ request: Request) throws(Failure) -> Response? {
    do throws(Failure) { return try ask(request) } catch .refused(.noSuchProgram, _) { return nil }
  }

  /// Finds a daemon that answers, and its version. The socket of a daemon that was just killed takes
  /// connections a moment longer.
  mutating func greet() throws(Failure) {
    guard !isBound else { return try greetHere() }
    try overRestart { (connection) throws(Failure) in try connection.greetHere() }
  }

  /// Asks the next daemon where the connection breaks: `body` may be done twice. The next one has the
  /// programs of the one before, so nothing else is to be done.
  mutating func overRestart<Result>(
    _ body: (inout Connection) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    var deadline: Int64?
    while true {
      do throws(Failure) { return try body(&self) } catch .connectionLost {
        let last = deadline ?? Clock.boottime() + Self.restarts
        guard Clock.boottime() < last else { throw .connectionLost }
        deadline = last
        self = try next()
      }
    }
  }

  mutating func acceptAnyVersion() { isTold = false }

  mutating func post(_ request: Request) throws(Failure) {
    isGreeted = true
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

  /// True where the next daemon could not go on with what this one does for the connection.
  private var isBound: Bool { hasBegun || channel.isWatched }

  private mutating func askHere(_ request: Request, _ given: DescriptorBox?) throws(Failure) -> Response {
    try greetHere()
    guard let other = otherVersion else { return try exchange(request, given) }
    do throws(Failure) {
      let response = try exchange(request, given)
      Output.complain(other.text)
      otherVersion = nil
      return response
    } catch {
      throw other.explained(error)
    }
  }

  private mutating func greetHere() throws(Failure) {
    guard isTold, !isGreeted else { return }
    isGreeted = true
    do throws(Failure) {
      otherVersion = OtherVersion(try exchange(.hello(boot: start?.asksForBoot ?? false), nil).ok)
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
    let fields = request.message()
    let isAboutProgram = [Key.name, .url, .notification].contains { fields[$0] != nil }
    var held: (time: Int64, words: String?) = (isAboutProgram ? Bounds.returning.nanoseconds : 0, nil)
    if case .quit(let name, _, _, _) = request { held.words = Self.words(forHeld: name) }
    var items: [Message] = []
    while true {
      let message = try nextAnswer(patience: patience + held.time, telling: held.words)
      switch message.answer {
      case .item: items.append(message)
      case .event: notices.append(message)
      case .ok, .error, nil:
        return Response(items: items, ok: try okay(message), descriptor: descriptor)
      }
    }
  }

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
    let reply = try readable(Reply(message))
    switch reply {
    case .error(let code, let text): throw .refused(code, ExplanationText.sentence(text))
    case .ok, nil: return message
    }
  }

  /// Refuses what can be no program's name: the daemon's answer would talk of the protocol.
  private func check(_ request: Request) throws(Failure) {
    guard let name = request.message()[.name], !ProgramName.isValid(name) else { return }
    throw .noName(name)
  }

  private func send(_ request: Request, _ descriptor: DescriptorBox?) throws(Failure) {
    guard let line = try? request.message().encoded() else { throw .failed("the request is too long") }
    channel.queue(line: line, descriptor: descriptor)
    // A hang-up is no failure yet: a daemon that refuses a connection writes the reason before it closes.
    if case .ended(.failed(let error)) = channel.flush(), !error.isConnectionLost {
      throw .failed("cannot write to the daemon: \(error)")
    }
  }

  private static func words(forHeld name: String) -> String {
    let time = DurationText.text(seconds: Bounds.returning.seconds)
    return "no answer yet: where \(name) is a program on the library, it may take \(time) to come back to a "
      + "new daemon"
  }

  /// Queued bytes are sent meanwhile.
  private mutating func nextAnswer(patience: Int64, telling words: String?) throws(Failure) -> Message {
    let bound = hasAnswered ? patience : max(patience, DaemonWait.bound)
    let words = hasAnswered ? words : DaemonWait.words
    for step in DaemonWait.Steps(until: Clock.boottime() + bound, telling: isTold ? words : nil) {
      if let message = try next(until: step) { return message }
    }
    throw .failed("the daemon does not answer (waited \(DurationText.text(seconds: Double(bound) / 1e9)))")
  }

  private mutating func next(until deadline: Int64) throws(Failure) -> Message? {
    let incoming = try explained("cannot wait for the daemon", channel.next(until: deadline, into: &buffer))
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

/// A daemon of another version than this program, as its answer to `hello` tells.
struct OtherVersion {
  let version: String
  let pid: String?

  init?(_ hello: Message) {
    guard let version = hello[.version], version != Version.current else { return nil }
    (self.version, pid) = (version, hello[.pid])
  }

  var text: String { "\(difference): \(Self.remedy)" }

  private var difference: String { "lulld is version \(version), not \(Version.current)" }

  /// The failure of a request that the two versions read differently; other failures are as they are.
  func explained(_ failure: Failure) -> Failure {
    switch failure {
    case .refused(.unknownVerb, _), .refused(.badValue, _), .refused(.missingField, _), .unreadable:
      // It may not know of upgrades either.
      .failed("they misunderstand each other: \(difference): end it (kill \(pid ?? "PID")), run lull again")
    default: failure
    }
  }

  static var remedy: String { "\"lull daemon upgrade\" replaces it" }
}

extension Request {
  /// True for a request that does no more when it is made twice, and begins nothing that only its own
  /// connection and daemon have.
  var mayBeAskedAgain: Bool {
    switch self {
    case .signal, .answer, .quit, .purge, .stopDaemon, .upgrade: false
    case .command, .run, .adopt, .letGo, .kept, .started, .ended, .attach: false
    case .log(let follow, _, _, _, _), .notifications(let follow): !follow
    default: true
    }
  }
}
