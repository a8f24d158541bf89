import LullEngine
import LullSystem
import LullWire

extension Daemon {
  func clientReady(_ token: Token, _ readiness: LullSystem.Readiness) {
    guard let client = clients[token] else { return }
    if !readiness.isDisjoint(with: [.writable, .hangUp, .error]) { flush(client) }
    guard !client.isWaiting else {
      // It is told whatever is asked for, and would be again and again until the command runs.
      if !readiness.isDisjoint(with: [.hangUp, .error]) { unwatch(client) }
      return
    }
    if client.isHeldUp {
      guard !client.isBusy, !client.isClosing else { return }
      client.isHeldUp = false
      readLines(client)
      markDirty(client)
    }
    if !readiness.isDisjoint(with: [.readable, .hangUp, .error, .readHangUp]) { clientReady(client) }
  }

  /// Reads what has come and works it off, request by request.
  func clientReady(_ client: Client) {
    // A client that sends faster than the daemon answers must not keep the others waiting.
    for _ in 0..<8 {
      guard mayAsk(client) else { return }
      guard client.descriptors.count <= 1 else { return refuseDescriptors(client) }
      switch receive(from: client) {
      case .bytes(_, let descriptor):
        descriptor?.closer = closer
        if let descriptor { client.descriptors.append(descriptor) }
        client.reader.append(receiveBuffer.received, descriptors: descriptor == nil ? 0 : 1)
        readLines(client)
      case .descriptorLost:
        reply(
          .error(code: .lostDescriptor, message: "a descriptor was lost on its way; connect again"),
          to: client)
        return closeAfterFlush(client)
      case .wouldBlock: return
      // The peer may only have finished asking.
      case .endOfStream: return client.isDone ? close(client) : closeAfterFlush(client)
      }
    }
  }

  /// No more than belongs to one line, so that what is read and not worked off is hardly ever more.
  private func receive(from client: Client) -> ReceiveOutcome {
    let room = max(1, Limits.maximumLine - client.reader.pendingBytes)
    return (try? UnixSocket.receive(into: &receiveBuffer, atMost: room, from: client.descriptor.raw))
      ?? .endOfStream
  }

  /// One line has one descriptor: who sends more before its end could have any number kept.
  private func refuseDescriptors(_ client: Client) {
    reply(.error(code: .malformed, message: Self.oneDescriptor + "; connect again"), to: client)
    closeAfterFlush(client)
  }

  private static var oneDescriptor: String { "one descriptor travels with a line, not several" }

  func readLines(_ client: Client) {
    while mayAsk(client), let line = client.reader.next() {
      let descriptors = Array(client.descriptors.prefix(line.descriptors))
      client.descriptors.removeFirst(descriptors.count)
      guard descriptors.count <= 1 else {
        reply(.error(code: .malformed, message: Self.oneDescriptor), to: client)
        continue
      }
      switch line.content {
      case .message(let message): handle(message, descriptors.last, from: client)
      case .invalid(let error): reply(Reply(error), to: client)
      case .tooLong:
        reply(.error(code: .tooLong, message: WireError.tooLong.message), to: client)
        closeAfterFlush(client)
      }
    }
  }

  /// False too while the client takes less than it asks for.
  private func mayAsk(_ client: Client) -> Bool {
    client.isHeldUp = client.isHeldUp || client.isBusy
    return !client.isWaiting && !client.isClosing && !client.isHeldUp
  }

  func reply(_ reply: Reply, to client: Client) { send(reply.message, to: client) }

  func send(_ message: Message, to client: Client) {
    guard !client.isOverrun else { return }
    client.output.add(message)
    limitOutput(of: client)
  }

  func send(line: [UInt8], to client: Client) {
    guard !client.isOverrun else { return }
    client.output.add(line: line)
    limitOutput(of: client)
  }

  func markDirty(_ client: Client) {
    guard !client.isDirty else { return }
    client.isDirty = true
    dirty.append(client)
  }

  private func limitOutput(of client: Client) {
    markDirty(client)
    if client.output.count > Client.maximumOutput { overrun(client) }
    while outputs.bytes > OutputTotal.maximum,
      let heaviest = clients.all.max(by: { $0.output.count < $1.output.count }), !heaviest.output.isEmpty
    {
      overrun(heaviest)
    }
  }

  /// Closed at the end of the turn, because its end may have consequences of its own.
  private func overrun(_ client: Client) {
    client.isOverrun = true
    client.output.clear()
    client.report = nil
    markDirty(client)
  }

  /// Writes what waits and one slice more: the rest of a long answer comes when the others have had a turn.
  func flush(_ client: Client) {
    guard !client.isOverrun else { return close(client) }
    var isThere = write(client)
    if isThere, client.report != nil, client.output.isEmpty {
      tellMore(client)
      isThere = write(client)
    }
    if !isThere {
      // What it asked for before it went away is still carried out.
      guard client.isHeldUp, !client.isClosing else { return close(client) }
      client.output.clear()
      client.report = nil
    }
    if client.isClosing, client.isDone { return close(client) }
    // What was asked meanwhile waits for its own turn, which the socket's room brings about.
    let writes: Interest = client.isDone && !client.isHeldUp ? [] : .writable
    let isHeard = !client.isHeldUp && !client.isClosing && !client.isWaiting
    watch(client, isHeard ? [.readable, .readHangUp, writes] : writes)
  }

  /// False when nobody is there to read any more.
  private func write(_ client: Client) -> Bool {
    while !client.output.isEmpty {
      switch (try? UnixSocket.send(client.output.bytes, to: client.descriptor.raw)) ?? .closed {
      case .sent(let count): client.output.removeFirst(count)
      case .wouldBlock: return true
      case .closed: return false
      }
    }
    return true
  }

  private func watch(_ client: Client, _ interest: Interest) {
    guard let current = client.interest else {
      guard !client.isWaiting else { return }
      // Whoever cannot be watched any more is gone for good.
      guard (try? epoll.add(client.descriptor.raw, token: client.token.raw, interest: interest)) != nil else {
        return close(client)
      }
      return client.interest = interest
    }
    guard current != interest else { return }
    client.interest = interest
    try? epoll.modify(client.descriptor.raw, token: client.token.raw, interest: interest)
  }

  private func unwatch(_ client: Client) {
    try? epoll.remove(client.descriptor.raw)
    client.interest = nil
  }

  func closeAfterFlush(_ client: Client) {
    client.isClosing = true
    markDirty(client)
  }

  func close(_ client: Client) {
    guard clients[client.token] === client else { return }
    if client.interest != nil { try? epoll.remove(client.descriptor.raw) }
    client.descriptor.close()
    leave(client)
    client.descriptors = []
    client.output.clear()
    dropStaged(client)
    client.isClosing = true
    client.report = nil
    if client.isLent { reserve.fill() }
    for program in client.watched { watcherGone(client, of: program) }
    guard case .program(let id) = client.role, let program = program(id) else { return }
    program.connections.removeAll { $0 === client }
    endSessions(of: program, from: client)
    if program.speaker === client { speakerGone(program) }
  }
}
