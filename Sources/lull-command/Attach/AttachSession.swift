import LullChannel
import LullSystem
import LullWire

/// The joining of a detached program: keys and lines go to it, its output comes here.
struct AttachSession: ~Copyable {
  enum End: Equatable {
    /// The keys were pressed, or the input has ended.
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
  /// Nil when the program takes none.
  private var input: AttachInput?
  private var buffer = ReceiveBuffer(capacity: 16_384)

  static let caught = [
    Signal.interrupt, Signal.terminate, Signal.hangUp, Signal.quit, Signal.windowChange, Signal.terminalStop,
  ]

  init(
    _ name: String, keeper: KeeperConnection, stream: DescriptorBox, keys: DetachKeys,
    hasTerminal: Bool, takesInput: Bool
  ) throws(Failure) {
    do {
      // A reader that leaves must not leave the terminal raw behind.
      try Signal.ignore(Signal.pipe)
      signals = try SignalDescriptor(blocking: Self.caught)
    } catch {
      throw .failed("cannot take signals: \(error)")
    }
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
