import LullChannel
import LullSystem
import LullWire

/// The keeper of a detached program: the parent of its command, the owner of its input, its output and its
/// log, and the place where others join it. One epoll set, in which it sleeps as long as nothing happens.
final class Keeper {
  enum Source {
    case command, output, input, listener
    case client(KeeperClient)
    case stream(KeeperClient)
  }

  /// The time that slow clients have for the last output, in nanoseconds.
  private static let patience: Int64 = 1_000_000_000

  let reactor: Reactor<Source>
  let log: ProgramLog
  let listener: KeeperListener?
  var streams: KeeperStreams
  var clients: [KeeperClient] = []
  var untaken: ArraySlice<UInt8> = []
  var inputRegistration: Slot?
  var outputRegistration: Slot?
  var takesInput: Bool
  let name: String
  let pid: Int32
  var session: RunSession
  /// The number of the daemon that was told that somebody types; nil while nobody does.
  private var attendedUnder: Int?
  /// True while the program is in the foreground for whoever types.
  private var isBroughtForward = false
  private(set) var status: ExitStatus?
  private var buffer = ReceiveBuffer(capacity: 1 << 14)

  init(
    _ session: consuming RunSession, streams: KeeperStreams, log: ProgramLog, listener: KeeperListener?
  ) throws(SystemError) {
    reactor = try Reactor(capacity: 8)
    _ = try reactor.add(session.reactor.raw, .readable, as: .command)
    outputRegistration = try reactor.add(streams.output.raw, .readable, as: .output)
    if let listener { _ = try reactor.add(listener.socket.raw, .readable, as: .listener) }
    takesInput = streams.input != nil
    (name, pid) = (session.name, session.child.pid)
    (self.streams, self.log, self.listener) = (streams, log, listener)
    // Others may have the pipe's end for the program, but not its parent: its end would not be seen.
    if !streams.isTerminal { self.streams.closeProgramEnds() }
    self.session = session
  }

  func run() throws -> ExitStatus {
    while true {
      if let status, outputRegistration == nil {
        finish(status)
        return status
      }
      try reactor.wait()
      for place in reactor.events {
        guard let event = reactor[place] else { continue }
        switch event.source {
        case .command:
          guard let ended = try session.takeTurn() else { continue }
          status = ended
          reactor.remove(event.registration)
          // From here on the output has an end.
          streams.closeProgramEnds()
        case .output: takeOutput()
        case .input: break
        case .listener: accept()
        case .client(let client): hear(client, event.readiness)
        case .stream(let client): serve(client, event.readiness)
        }
      }
      giveInput()
      for client in clients {
        if client.hasLeft, !takesInput {
          drop(client, nil)
        } else {
          client.update(reactor, takesInput: takesInput && untaken.isEmpty)
        }
      }
      attend()
    }
  }

  /// A program at whose terminal somebody types is in the foreground until the last of them has left: it must
  /// not sleep between a key and what that key has begun.
  private func attend() {
    let isAttended = session.isManaged && clients.contains { $0.hasTyped && !$0.hasLeft }
    guard status == nil, (isAttended ? session.daemons : nil) != attendedUnder else { return }
    if !isAttended {
      if isBroughtForward { session.pass(.background(name: name)) }
      isBroughtForward = false
    } else if !session.isInForeground() {
      session.pass(.foreground(name: name))
      isBroughtForward = true
    }
    attendedUnder = isAttended ? session.daemons : nil
  }

  private func takeOutput() {
    let outcome = (try? streams.read(into: &buffer)) ?? .endOfStream
    switch outcome {
    case .wouldBlock: return
    case .endOfStream:
      if let outputRegistration { reactor.remove(outputRegistration) }
      outputRegistration = nil
      if streams.isTerminal { (takesInput, inputRegistration) = (false, nil) }
    case .bytes:
      log.append(buffer.received)
      for client in clients where !client.send(buffer.received) { drop(client, "it took too little output") }
    }
  }

  /// Tells all the end, each behind the last output; one that takes too little hears only that.
  private func finish(_ status: ExitStatus) {
    listener?.close()
    let deadline = Clock.boottime() + Self.patience
    while Clock.boottime() < deadline {
      for client in clients where client.finish(status) { drop(client, nil) }
      guard !clients.isEmpty else { return }
      var entries = clients.flatMap(\.stalled)
      _ = try? Socket.pollMany(&entries, timeoutMilliseconds: 50)
    }
    for client in clients {
      drop(client, "\(name) has ended (\(status.words)), but its last output was not taken in time")
    }
  }
}

extension Keeper {
  func accept() {
    while let listener, let socket = try? Socket.accept(from: listener.socket.raw) {
      let client = KeeperClient(socket)
      guard (try? client.channel.watch(in: reactor, as: .client(client))) != nil else { continue }
      clients.append(client)
    }
  }

  func hear(_ client: KeeperClient, _ readiness: Readiness) {
    client.channel.handle(readiness)
    var room = ReceiveBuffer(capacity: Limits.maximumLine)
    while true {
      while let incoming = client.channel.next() {
        guard case .message(let message, _) = incoming, let asked = try? KeeperMessage.parse(message) else {
          return drop(client, "\"attach\", \"watch\" or \"resize\" is expected")
        }
        guard carryOut(asked, client) else { return drop(client, "no stream can be made") }
      }
      switch client.channel.receive(into: &room) {
      case .bytes: continue
      case .nothing: return
      // The stream may have input that came before.
      case .ended: return client.stream == nil ? drop(client, nil) : client.leave(reactor)
      }
    }
  }

  private func carryOut(_ message: KeeperMessage, _ client: KeeperClient) -> Bool {
    switch message {
    case .attach:
      guard client.stream == nil, let end = try? client.join(reactor) else { return false }
      let answer = KeeperMessage.attached(hasTerminal: streams.isTerminal, takesInput: takesInput)
      client.channel.tell(answer.message(), descriptor: end)
      guard streams.isTerminal else { return true }
      let tail = log.tail(4096)
      return client.send(PlainText.text(tail, isWhole: log.isWhole(in: 4096))[...])
    case .watch: client.channel.tell(KeeperMessage.watching.message())
    case .resize(let size):
      // A program that sleeps learns its size when it wakes: to look at it does not wake it.
      guard streams.isTerminal else { return true }
      try? Terminal.setSize(streams.output.raw, .init(columns: size.columns, rows: size.rows))
    case .attached, .watching, .ended, .running, .refused: return false
    }
    return true
  }

  func serve(_ client: KeeperClient, _ readiness: Readiness) {
    guard client.flush() else { return drop(client, nil) }
    guard let stream = client.stream, takesInput, untaken.isEmpty else {
      if !readiness.isDisjoint(with: [.hangUp, .error]) { client.leave(reactor) }
      return
    }
    var room = ReceiveBuffer(capacity: 4096)
    switch try? Socket.read(stream.raw, into: &room) {
    case .wouldBlock: return
    case .bytes:
      untaken = room.received
      guard streams.isTerminal else { return }
      client.hasTyped = true
      noteKeys(room.received)
    case .endOfStream, nil: drop(client, nil)
    }
  }

  /// Has a sleeper woken for the keys that the terminal makes signals of: these leave nothing to read behind,
  /// for which it would be woken.
  private func noteKeys(_ keys: ArraySlice<UInt8>) {
    for (key, signal) in [(0x03, Signal.interrupt), (0x1C, Signal.quit), (0x1A, Signal.terminalStop)]
    where keys.contains(UInt8(key)) {
      session.passAsSent(signal)
    }
  }

  func giveInput() {
    guard let input = streams.input, takesInput else { return }
    while !untaken.isEmpty {
      let outcome = (try? StandardStreams.writePart(untaken, to: input.raw)) ?? .closed
      switch outcome {
      case .sent(let count): untaken = untaken.dropFirst(count)
      case .wouldBlock: return watchInput(input)
      case .closed: (untaken, takesInput) = ([], false)
      }
    }
    unwatchInput()
  }

  private func watchInput(_ input: DescriptorBox) {
    guard inputRegistration == nil else { return }
    if streams.isTerminal {
      // One descriptor for both directions.
      inputRegistration = outputRegistration
      if let outputRegistration { try? reactor.modify(outputRegistration, [.readable, .writable]) }
    } else {
      inputRegistration = try? reactor.add(input.raw, .writable, as: .input)
    }
  }

  private func unwatchInput() {
    guard let inputRegistration else { return }
    if streams.isTerminal {
      try? reactor.modify(inputRegistration, .readable)
    } else {
      reactor.remove(inputRegistration)
    }
    self.inputRegistration = nil
  }

  func drop(_ client: KeeperClient, _ reason: String?) {
    if let reason { client.channel.tell(KeeperMessage.refused(status: 1, message: reason).message()) }
    client.close(reactor)
    clients.removeAll { $0 === client }
  }
}

/// One who has joined a detached program, or waits for its end.
final class KeeperClient {
  /// The output that waits for a slow reader; a slower one is dropped, because the program does not wait.
  private static let maximum = 1 << 18

  let channel: MessageChannel
  private(set) var stream: DescriptorBox?
  private var registration: Slot?
  private var watched: Interest = []
  private var waiting: ArraySlice<UInt8> = []
  private var isToldEnd = false
  var hasTyped = false
  /// What was sent before is still handed on.
  private(set) var hasLeft = false

  init(_ socket: consuming Descriptor) {
    channel = MessageChannel(DescriptorBox(socket), overload: .dropPeer, maximumOutput: 1 << 16)
  }

  /// The sockets that need room for what waits. One for which nothing waits always has room: to wait for
  /// that would be no wait.
  var stalled: [PollEntry] {
    let sockets = [channel.isDone ? nil : channel.socket, waiting.isEmpty ? nil : stream]
    return sockets.compactMap { $0.map { PollEntry($0.raw, .writable) } }
  }

  /// True when all is sent, or nobody is there to take it.
  func finish(_ status: ExitStatus) -> Bool {
    guard flush(), !hasLeft else { return true }
    if waiting.isEmpty, !isToldEnd {
      channel.tell(KeeperMessage.ended(status).message())
      isToldEnd = true
    }
    channel.flush()
    return channel.outputEnd != nil || isToldEnd && channel.isDone
  }

  func join(_ reactor: Reactor<Keeper.Source>) throws(SystemError) -> DescriptorBox {
    let (here, there) = try UnixSocket.pair()
    registration = try reactor.add(here.raw, [], as: .stream(self))
    stream = here
    return there
  }

  /// False when the client takes too little, or is gone.
  func send(_ bytes: ArraySlice<UInt8>) -> Bool {
    guard stream != nil, !hasLeft else { return true }
    waiting += bytes
    return flush() && waiting.count <= Self.maximum
  }

  func flush() -> Bool {
    guard let stream else { return true }
    guard let isRead = try? waiting.send(to: stream.raw) else { return false }
    hasLeft = hasLeft || !isRead
    return true
  }

  func leave(_ reactor: Reactor<Keeper.Source>) {
    hasLeft = true
    waiting = []
    channel.unwatch(in: reactor)
    channel.close()
  }

  func update(_ reactor: Reactor<Keeper.Source>, takesInput: Bool) {
    if !hasLeft { try? channel.updateInterest(in: reactor) }
    var interest: Interest = takesInput ? .readable : []
    if !waiting.isEmpty { interest.formUnion(.writable) }
    if hasLeft, !takesInput {
      // A closed end is ready all the time: it is watched only while its input can be taken.
      if let registration { reactor.remove(registration) }
      registration = nil
    } else if let registration {
      guard interest != watched else { return }
      watched = interest
      try? reactor.modify(registration, interest)
    } else if let stream {
      watched = interest
      registration = try? reactor.add(stream.raw, interest, as: .stream(self))
    }
  }

  func close(_ reactor: Reactor<Keeper.Source>) {
    channel.unwatch(in: reactor)
    channel.close()
    if let registration { reactor.remove(registration) }
    registration = nil
    stream?.close()
  }
}
