import LullEngine
import LullSystem
import LullWire

/// The process at the other end of a connection, as the kernel noted it when the connection was made.
struct PeerProcess {
  let pid: Int32
  let pidfd: DescriptorBox
}

/// Why something is not granted.
struct Rejection: Error {
  let code: Code
  let text: String

  init(_ code: Code, _ text: String) { (self.code, self.text) = (code, text) }
}

extension Daemon {
  /// Connections that are accepted in one turn: a storm of them must not keep the others waiting. More than
  /// can wait in the listener, so that a program that was frozen is heard to its last connection.
  private static var acceptedAtOnce: Int { 160 }
  /// A process outside every program may use the connections that are reserved when it has fewer than these.
  private static var connectionsOfOperator: Int { 4 }

  func acceptClients() {
    for _ in 0..<Self.acceptedAtOnce {
      do {
        guard let descriptor = try UnixSocket.accept(from: listener.raw) else { return }
        admit(DescriptorBox(descriptor))
      } catch {
        guard error.isOutOfDescriptors else { return }
        guard acceptFromReserve() else { return pauseListener() }
      }
    }
  }

  /// Not even one descriptor is left: the listener stays ready, and the loop would spin on it.
  private func pauseListener() {
    try? epoll.modify(listener.raw, token: Token(.listener).raw, interest: [])
    listensAgainAt = Clock.boottime() + 500_000_000
  }

  func listenAgainIfDue() {
    guard let due = listensAgainAt, due <= Clock.boottime() else { return }
    listensAgainAt = nil
    try? epoll.modify(listener.raw, token: Token(.listener).raw, interest: .readable)
  }

  /// A connection that is not taken would wait in the queue, and the loop would spin on the listener.
  private func acceptFromReserve() -> Bool {
    let isLent = reserve.lend()
    guard isLent || reserve.lendOne() else { return false }
    defer { reserve.fill() }
    guard let taken = (try? UnixSocket.accept(from: listener.raw)) ?? nil else { return false }
    let box = DescriptorBox(taken)
    if isLent { admit(box, isLent: true) } else { refuse(box, Self.outOfDescriptors) }
    return true
  }

  private static var outOfDescriptors: Rejection {
    Rejection(.tooManyClients, "the daemon has no descriptors left; end some programs")
  }

  private func refuse(_ descriptor: DescriptorBox, _ rejection: Rejection) {
    var bytes: [UInt8] = []
    Reply.error(code: rejection.code, message: rejection.text).message.encodeTruncating(into: &bytes)
    _ = try? UnixSocket.send(bytes, to: descriptor.raw)
    descriptor.close()
  }

  private func admit(_ descriptor: DescriptorBox, isLent: Bool = false) {
    do throws(Rejection) {
      let peer = try identify(descriptor)
      let role = role(of: peer.pid)
      // What was read by the number was about this process only if it has the number still. Its child may go
      // on with the connection, and would pass for somebody outside its program.
      guard Process.isNumbered(peer.pidfd.raw) else {
        throw Rejection(.refused, "the process that connected has ended; connect again")
      }
      try checkRoom(for: peer.pid, role, isLent: isLent)
      try add(descriptor, peer, role, isLent: isLent)
    } catch {
      refuse(descriptor, error)
    }
  }

  private func identify(_ descriptor: DescriptorBox) throws(Rejection) -> PeerProcess {
    let peer: PeerCredentials
    let pidfd: DescriptorBox
    do {
      peer = try UnixSocket.peer(of: descriptor.raw)
      guard peer.uid == Identity.uid() else {
        journal.note(
          at: Clock.realtime(), program: nil, what: "refused", detail: "connection of uid \(peer.uid)")
        throw Rejection(
          .refused, "this daemon serves uid \(Identity.uid()); uid \(peer.uid) needs its own")
      }
      guard peer.pid > 0 else {
        throw Rejection(
          .refused,
          "this daemon cannot see your process, which is in another pid namespace (a container, say): "
            + "run lulld where the program runs")
      }
      pidfd = try DescriptorBox(UnixSocket.peerPidfd(of: descriptor.raw))
    } catch let rejection as Rejection {
      throw rejection
    } catch let error as SystemError where error.isOutOfDescriptors {
      throw Self.outOfDescriptors
    } catch {
      throw Rejection(.refused, "the kernel does not tell who you are: \(error)")
    }
    return PeerProcess(pid: peer.pid, pidfd: pidfd)
  }

  /// One program, and one process outside every program, gets so many connections; the last ones are for an
  /// operator who has hardly any.
  private func checkRoom(for pid: Int32, _ role: Client.Role, isLent: Bool) throws(Rejection) {
    let (own, isOperator): (Int, Bool) =
      switch role {
      case .operator: (connectionCounts[pid] ?? 0, true)
      case .program(let id): (program(id)?.connections.count ?? 0, false)
      }
    guard own < options.maximumConnections else {
      throw Rejection(
        .tooManyClients, "at most \(options.maximumConnections) connections of one program or process at once"
      )
    }
    let free = options.maximumClients - clients.count
    guard free > 0 else {
      throw Rejection(.tooManyClients, "at most \(options.maximumClients) connections at once")
    }
    guard isLent || free <= options.reservedClients else { return }
    guard isOperator, own < Self.connectionsOfOperator else {
      throw isLent
        ? Self.outOfDescriptors
        : Rejection(
          .tooManyClients, "the last \(options.reservedClients) connections are kept for the operator")
    }
  }

  private func add(_ descriptor: DescriptorBox, _ peer: PeerProcess, _ role: Client.Role, isLent: Bool)
    throws(Rejection)
  {
    let client = clients.insert { slot, generation in
      Client(
        slot: slot, generation: generation, descriptor: descriptor, peer: peer, role: role, outputs: outputs)
    }
    client.isLent = isLent
    do {
      try epoll.add(descriptor.raw, token: client.token.raw, interest: [.readable, .readHangUp])
    } catch {
      clients.remove(client.slot)
      throw Rejection(.tooManyClients, "the connection cannot be watched: \(error)")
    }
    connectionCounts[peer.pid, default: 0] += 1
    if case .program(let id) = role { program(id)?.connections.append(client) }
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
    for _ in 0..<64 where ancestor > 1 {
      if let program = signalled(ancestor) { return .program(program.id) }
      guard let parent = try? Process.parentPid(of: ancestor) else { break }
      ancestor = parent
    }
    return .operator
  }

  /// The program in whose cgroup a path is.
  func find(cgroupPath: String) -> Program? {
    programs.first { program in
      guard let own = program?.cgroupPath else { return false }
      return cgroupPath == own || cgroupPath.hasPrefix(own + "/")
    } ?? nil
  }

  /// Forgets a connection that was admitted.
  func leave(_ client: Client) {
    clients.remove(client.slot)
    let left = (connectionCounts[client.pid] ?? 1) - 1
    connectionCounts[client.pid] = left > 0 ? left : nil
  }
}
