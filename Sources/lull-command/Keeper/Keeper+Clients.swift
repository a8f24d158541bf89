import LullChannel
import LullSystem
import LullWire

extension Keeper {
  func accept() {
    while let listener, let socket = try? UnixSocket.accept(from: listener.socket.raw) {
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
