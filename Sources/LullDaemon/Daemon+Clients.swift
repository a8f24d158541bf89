import LullEngine
import LullSystem
import LullWire

extension Daemon {
  func acceptClients() {
    while true {
      do {
        guard let descriptor = try UnixSocket.accept(from: listener.raw) else { return }
        admit(DescriptorBox(descriptor))
      } catch {
        guard error.isOutOfDescriptors, reserve != nil else { return }
        refuseForWantOfDescriptors()
      }
    }
  }

  /// Without the reserve the connection would wait in the queue and the loop would spin on the listener.
  private func refuseForWantOfDescriptors() {
    reserve?.close()
    if let taken = try? UnixSocket.accept(from: listener.raw) {
      let box = DescriptorBox(taken)
      refuse(box, .tooManyClients, "the daemon has no descriptors left; end some programs")
    }
    reserve = try? DescriptorBox(Process.pidfdOpen(Identity.pid()))
  }

  private func refuse(_ descriptor: DescriptorBox, _ code: Code, _ text: String) {
    var bytes: [UInt8] = []
    Reply.error(code: code, message: text).message.encodeTruncating(into: &bytes)
    _ = try? UnixSocket.send(bytes, to: descriptor.raw)
    descriptor.close()
  }

  private func admit(_ descriptor: DescriptorBox) {
    guard let peer = try? UnixSocket.peer(of: descriptor.raw),
      let pidfd = try? DescriptorBox(UnixSocket.peerPidfd(of: descriptor.raw))
    else { return descriptor.close() }
    guard peer.uid == Identity.uid() else {
      journal.note(
        at: Clock.realtime(), program: nil, what: "refused", detail: "connection of uid \(peer.uid)")
      return refuse(
        descriptor, .refused, "this daemon serves uid \(Identity.uid()); uid \(peer.uid) needs its own")
    }
    guard clients.count < options.maximumClients else {
      return refuse(descriptor, .tooManyClients, "at most \(options.maximumClients) connections at once")
    }
    let client = clients.insert { slot, generation in
      Client(
        slot: slot, generation: generation, descriptor: descriptor, pid: peer.pid, pidfd: pidfd,
        role: role(of: peer.pid))
    }
    if case .program(let id) = client.role { program(id)?.connections.append(client) }
    do {
      try epoll.add(descriptor.raw, token: client.token.raw, interest: [.readable, .readHangUp])
    } catch {
      close(client)
    }
  }

  /// A process in a program's cgroup speaks for that program. Where there are no cgroups, the program's
  /// own process and its children do.
  private func role(of pid: Int32) -> Client.Role {
    if let path = try? Process.cgroupPath(of: pid), let program = find(cgroupPath: path) {
      return .program(program.id)
    }
    // A guest speaks for itself alone: what it starts is no part of it.
    if let guest = programs.first(where: { $0?.isGuest == true && $0?.pid == pid }) ?? nil {
      return .program(guest.id)
    }
    var ancestor = pid
    for _ in 0..<16 where ancestor > 1 {
      if let program = programs.first(where: { $0?.isSignalled(ancestor) == true }) ?? nil {
        return .program(program.id)
      }
      guard let parent = try? Process.parentPid(of: ancestor) else { break }
      ancestor = parent
    }
    return .operator
  }

  private func find(cgroupPath: String) -> Program? {
    programs.first { program in
      guard let own = program?.cgroupPath else { return false }
      return cgroupPath == own || cgroupPath.hasPrefix(own + "/")
    } ?? nil
  }

  func clientReady(_ token: Token, _ readiness: LullSystem.Readiness) {
    guard let client = clients[token] else { return }
    if !readiness.isDisjoint(with: [.writable, .hangUp, .error]) { flush(client) }
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
      switch (try? UnixSocket.receive(into: &receiveBuffer, from: client.descriptor.raw)) ?? .endOfStream {
      case .bytes(_, let descriptor):
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

  func readLines(_ client: Client) {
    while mayAsk(client), let line = client.reader.next() {
      let descriptors = Array(client.descriptors.prefix(line.descriptors))
      client.descriptors.removeFirst(descriptors.count)
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

  /// Writes what waits and one slice more: the rest of a long answer comes when the others have had a turn.
  func flush(_ client: Client) {
    var isThere = write(client)
    if isThere, client.report != nil, client.output.isEmpty {
      tellMore(client)
      isThere = write(client)
    }
    if !isThere {
      // What it asked for before it went away is still carried out.
      guard client.isHeldUp, !client.isClosing else { return close(client) }
      (client.output, client.report) = ([], nil)
    }
    guard client.output.count <= Client.maximumOutput else { return close(client) }
    if client.isClosing, client.isDone { return close(client) }
    // What was asked meanwhile waits for its own turn, which the socket's room brings about.
    let writes: Interest = client.isDone && !client.isHeldUp ? [] : .writable
    watch(client, client.isHeldUp || client.isClosing ? writes : [.readable, .readHangUp, writes])
  }

  /// False when nobody is there to read any more.
  private func write(_ client: Client) -> Bool {
    while !client.output.isEmpty {
      switch (try? UnixSocket.send(client.output, to: client.descriptor.raw)) ?? .closed {
      case .sent(let count): client.output.removeFirst(count)
      case .wouldBlock: return true
      case .closed: return false
      }
    }
    return true
  }

  private func watch(_ client: Client, _ interest: Interest) {
    guard client.interest != interest else { return }
    client.interest = interest
    try? epoll.modify(client.descriptor.raw, token: client.token.raw, interest: interest)
  }

  func closeAfterFlush(_ client: Client) {
    client.isClosing = true
    markDirty(client)
  }

  func close(_ client: Client) {
    guard clients[client.token] === client else { return }
    try? epoll.remove(client.descriptor.raw)
    client.descriptor.close()
    clients.remove(client.slot)
    client.descriptors = []
    client.isClosing = true
    client.report = nil
    for program in client.watched { watcherGone(client, of: program) }
    guard case .program(let id) = client.role, let program = program(id) else { return }
    program.connections.removeAll { $0 === client }
    endSessions(of: program, from: client)
    if program.speaker === client { speakerGone(program) }
  }
}

extension Program {
  func isSignalled(_ pid: Int32) -> Bool {
    guard case .signal = suspender, !isGuest else { return false }
    return pid == self.pid
  }
}
