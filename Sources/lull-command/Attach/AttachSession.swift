import LullChannel
import LullSystem
import LullWire

/// The joining of a detached program: keys and lines go to it, its output comes here.
struct AttachSession: ~Copyable {
  enum End: Equatable {
    case left
    /// Nobody reads the output any more.
    case unread
    case signal(Int32)
    case program(KeeperEnd)
  }

  let name: String
  let keeper: KeeperConnection
  let stream: DescriptorBox
  let hasTerminal: Bool
  let signals: SignalDescriptor
  let terminal: RawTerminal?
  private var input: AttachInput?
  private var buffer = ReceiveBuffer(capacity: 16_384)

  static let caught = [
    Signal.interrupt, Signal.terminate, Signal.hangUp, Signal.quit, Signal.windowChange, Signal.terminalStop,
  ]

  init(
    _ name: String, keeper: KeeperConnection, stream: DescriptorBox, keys: DetachKeys,
    hasTerminal: Bool, takesInput: Bool
  ) throws(Failure) {
    // A reader that leaves must not leave the terminal raw behind.
    try explained("cannot take signals", Signal.ignore(Signal.pipe))
    signals = try explained("cannot take signals", SignalDescriptor(blocking: Self.caught))
    (self.name, self.stream, self.hasTerminal) = (name, stream, hasTerminal)
    self.keeper = keeper
    terminal = hasTerminal ? RawTerminal(StandardStreams.input) : nil
    let isTyped = terminal != nil
    input = takesInput || isTyped ? AttachInput(keys, isTyped: isTyped) : nil
    tellSize()
  }

  mutating func run() throws(Failure) -> End {
    while true {
      do {
        if let end = try turn() { return end }
      } catch let failure as Failure {
        throw failure
      } catch {
        throw .failed("\(name): \(error)")
      }
    }
  }

  private mutating func turn() throws -> End? {
    var entries = [
      PollEntry(stream.raw, input?.isWaiting == true ? [.readable, .writable] : .readable),
      PollEntry(signals.raw, .readable),
    ]
    if input?.hasRoom == true { entries.append(PollEntry(StandardStreams.input, .readable)) }
    try Socket.pollMany(&entries, timeoutMilliseconds: -1)
    if let end = try handleSignals() { return end }
    if entries.count > 2, !entries[2].readiness.isEmpty { try takeInput() }
    try input?.send(to: stream.raw)
    if !entries[0].readiness.isEmpty, let end = try takeOutput() { return end }
    return input?.isOver == true ? .left : nil
  }

  /// At the end of the output the keeper has told why.
  private mutating func takeOutput() throws -> End? {
    switch try Socket.read(stream.raw, into: &buffer) {
    case .wouldBlock: return nil
    case .bytes:
      do {
        try StandardStreams.write(Array(buffer.received), to: StandardStreams.output)
        return nil
      } catch {
        guard error.isConnectionLost else { throw error }
        return .unread
      }
    case .endOfStream:
      while true {
        if let end = try keeper.end() { return .program(end) }
        _ = try keeper.channel.wait(until: nil)
      }
    }
  }

  private mutating func takeInput() throws {
    let outcome: ReadOutcome
    do {
      outcome = try StandardStreams.read(StandardStreams.input, into: &buffer)
    } catch {
      // The terminal is gone.
      guard error.isInputOutput else { throw error }
      input?.leave()
      return
    }
    switch outcome {
    case .wouldBlock: return
    case .endOfStream: input?.end()
    case .bytes: input?.take(buffer.received)
    }
  }

  // MARK: Signals

  private mutating func handleSignals() throws -> End? {
    while let (signal, _) = try signals.next() {
      switch signal {
      case Signal.windowChange: tellSize()
      case Signal.terminalStop: try stop()
      default: return .signal(signal)
      }
    }
    return nil
  }

  private func tellSize() {
    guard hasTerminal, let size = Terminal.size(StandardStreams.output) else { return }
    keeper.send(.resize(.init(columns: size.columns, rows: size.rows)))
  }

  private func stop() throws {
    terminal?.restore()
    try Process.kill(Identity.pid(), Signal.stop)
    terminal?.enter()
    tellSize()
  }
}

struct AttachInput {
  private enum State {
    case open
    /// Nothing more comes; what waits is still sent.
    case ended
    case left
  }

  static let maximum = 1 << 16

  /// True for keys: the program must not keep a person from leaving. Other input waits until the program
  /// takes it.
  private let isTyped: Bool
  private var keys: DetachKeys
  private var state = State.open
  private var waiting: ArraySlice<UInt8> = []

  init(_ keys: DetachKeys, isTyped: Bool) { (self.keys, self.isTyped) = (keys, isTyped) }

  var hasRoom: Bool { state == .open && (isTyped || waiting.isEmpty) }
  var isWaiting: Bool { !waiting.isEmpty }
  var isOver: Bool { state == .left || state == .ended && waiting.isEmpty }

  /// Keys that the program does not take are dropped in the end, but never those that leave.
  mutating func take(_ bytes: ArraySlice<UInt8>) {
    guard isTyped else { return waiting += bytes }
    let (passed, leaves) = keys.pass(bytes)
    waiting += passed.prefix(max(0, Self.maximum - waiting.count))
    if leaves { state = .left }
  }

  mutating func end() { state = .ended }

  mutating func leave() { state = .left }

  mutating func send(to raw: Int32) throws(SystemError) {
    // The end of the output says why nobody reads.
    _ = try waiting.send(to: raw)
  }
}

extension ArraySlice<UInt8> {
  /// Sends as much as there is room for; false when nobody reads any more, and nothing is left to send.
  mutating func send(to raw: Int32) throws(SystemError) -> Bool {
    while !isEmpty {
      switch try Socket.write(raw, Array(self)) {
      case .sent(let count): self = dropFirst(count)
      case .wouldBlock: return true
      case .closed:
        self = []
        return false
      }
    }
    self = []
    return true
  }
}

/// The keys that leave a program that was joined, one after the other.
struct DetachKeys {
  /// Ctrl-].
  static let usual = DetachKeys(keys: [0x1D])

  private let keys: [UInt8]
  /// The number of keys of the sequence that were pressed last, and have not been passed on.
  private var pressed = 0

  private init(keys: [UInt8]) { self.keys = keys }

  init(_ text: String) throws(Failure) {
    var keys: [UInt8] = []
    for word in text.split(separator: ",", omittingEmptySubsequences: false) {
      guard let key = Self.key(String(word)) else {
        throw .usage("--detach-keys \(text): give keys such as ctrl-] or ctrl-p,ctrl-q")
      }
      keys.append(key)
    }
    self.keys = keys
  }

  private static func key(_ word: String) -> UInt8? {
    let lower = word.lowercased()
    let name = lower.hasPrefix("ctrl-") ? lower.dropFirst(5) : word[...]
    guard name.utf8.count == 1, let byte = name.utf8.first, byte > 0x20, byte < 0x7F else { return nil }
    guard lower.hasPrefix("ctrl-") else { return byte }
    let upper = byte >= UInt8(ascii: "a") && byte <= UInt8(ascii: "z") ? byte - 0x20 : byte
    guard (UInt8(ascii: "@")...UInt8(ascii: "_")).contains(upper) else { return nil }
    return upper & 0x1F
  }

  var text: String {
    keys.map { key in
      key < 0x20 ? "Ctrl-\(Character(UnicodeScalar(key | 0x40)))" : "\(Character(UnicodeScalar(key)))"
    }.joined(separator: " ")
  }

  /// The keys that are for the program, and whether the last of them were those that leave. A sequence that
  /// is broken off is passed on.
  mutating func pass(_ typed: ArraySlice<UInt8>) -> (keys: [UInt8], leaves: Bool) {
    var passed: [UInt8] = []
    for key in typed {
      if key != keys[pressed] {
        passed += keys[..<pressed]
        pressed = 0
      }
      guard key == keys[pressed] else {
        passed.append(key)
        continue
      }
      pressed += 1
      if pressed == keys.count {
        pressed = 0
        return (passed, true)
      }
    }
    return (passed, false)
  }
}

/// A terminal whose keys all arrive as they are, until this value ends.
struct RawTerminal: ~Copyable {
  private let raw: Int32
  private let before: TerminalModes

  init?(_ raw: Int32) {
    guard let before = try? TerminalModes(of: raw) else { return nil }
    (self.raw, self.before) = (raw, before)
    enter()
  }

  deinit { restore() }

  func enter() { try? before.uncooked.set(raw) }

  /// A process in the background leaves the modes to its shell, which has set its own.
  func restore() {
    if Terminal.isForeground(raw) { try? before.set(raw) }
  }
}
