import LullEngine
import LullSystem
import LullWire

extension Daemon {
  /// Sends what NAT keep-alives are made of, a double CRLF that SIP lets pass (RFC 3261, section 7.5), from
  /// each UDP socket to its peer, or to whoever sent something there last.
  func keepPathsOpen(_ id: AppID) {
    guard let program = program(id) else { return }
    let bytes = Array("\r\n\r\n".utf8)
    for line in program.lines where line.description.kind == .udp {
      guard let duplicate = line.duplicate else { continue }
      if !line.description.peer.isEmpty {
        _ = try? Socket.write(duplicate.raw, bytes)
      } else if let sender = program.command?.udpKeepAliveTo ?? line.found?.lastSender {
        _ = try? Socket.sendDatagram(duplicate.raw, bytes, to: sender)
      }
    }
  }

  func rewatch(_ id: AppID, _ lineID: LineID) {
    guard let line = program(id)?.line(lineID), let duplicate = line.duplicate else { return }
    try? epoll.modify(duplicate.raw, token: line.token.raw, interest: line.interest)
  }

  /// Whether a descriptor can be watched. EPERM: it cannot, such as a regular file.
  func probe(_ descriptor: DescriptorBox) throws(SystemError) {
    try epoll.add(descriptor.raw, token: Token(.line, slot: Int(UInt32.max)).raw, interest: .oneShot)
    try epoll.remove(descriptor.raw)
  }

  func hold(_ hold: Request.Hold, for program: Program, from client: Client, _ descriptor: DescriptorBox?)
    -> Reply
  {
    guard let descriptor else {
      return .error(
        code: .missingField, message: "send the descriptor with the line that says hold (SCM_RIGHTS)")
    }
    do {
      try probe(descriptor)
    } catch {
      return .error(
        code: .notPollable, message: "descriptor \(hold.descriptor) cannot be watched: \(error.message)")
    }
    guard let identity = try? FileIdentity.of(descriptor.raw) else {
      return .error(code: .badValue, message: "descriptor \(hold.descriptor) cannot be examined")
    }
    let description = Socket.describe(descriptor.raw)
    if let refusal = refuseOffload(hold, description) { return refusal }
    let offload = hold.offload.reduce(into: Offload()) { $0.insert(Offload($1)) }
    let kind: LullEngine.LineKind = hold.type == .accessory ? .accessory : .voip
    switch ask({ .hold(program.id, kind, offload, $0) }) {
    case .line(let id):
      if let interval = hold.tcpKeepaliveNanoseconds {
        let seconds = Int32(clamping: max(1, interval / 1_000_000_000))
        try? Socket.setKeepAlive(descriptor.raw, idleSeconds: seconds)
      }
      let line = lineSlots.insert { slot, generation in
        HeldLine(
          id: id, number: hold.descriptor, owner: client.pidfd, identity: identity, description: description,
          kind: kind, offload: offload, slot: slot, generation: generation, program: program)
      }
      program.add(line)
      let word = Vocabulary.LineKind(description.kind).rawValue
      return .ok(
        Message(.ok).adding(.line, id.number).adding(.kind, word).adding(.local, description.local)
          .adding(.peer, description.peer))
    case .refused(let refusal): return Reply(refusal)
    default: return Reply(.gone)
    }
  }

  private func refuseOffload(_ hold: Request.Hold, _ description: LineDescription) -> Reply? {
    for rule in hold.offload {
      let fits = rule == .udpKeepalive || rule == .stun ? description.kind == .udp : description.kind == .tcp
      guard !fits else { continue }
      let needed = rule == .line || rule == .crlf ? "TCP connection" : "UDP socket"
      return .error(code: .badValue, message: "offload=\(rule.rawValue) needs a \(needed)")
    }
    if hold.tcpKeepaliveNanoseconds != nil, description.kind != .tcp {
      return .error(code: .badValue, message: "tcpKeepalive needs a TCP connection")
    }
    return nil
  }

  func releaseLine(_ number: UInt64, of program: Program) -> Reply {
    guard let line = program.lines.first(where: { UInt64($0.id.number) == number }) else {
      return Reply(.noSuchLine(LineID(UInt32(clamping: number))))
    }
    let answer = ask { .release(program.id, line.id, $0) }
    drop(line, from: program)
    return Reply(answer)
  }

  /// A program without ptrace rights over it hands a line's descriptor over before it sleeps.
  func handover(_ number: UInt64, _ ticket: UInt64, of program: Program, _ descriptor: DescriptorBox?)
    -> Reply
  {
    guard case .preparing(Ticket(ticket)) = program.freezing else { return .ok }
    guard let descriptor, let line = program.lines.first(where: { UInt64($0.id.number) == number }) else {
      return Reply(.noSuchLine(LineID(UInt32(clamping: number))))
    }
    line.duplicate = descriptor
    return .ok
  }

  func handedOver(_ ticket: UInt64, by program: Program) {
    guard case .preparing(Ticket(ticket)) = program.freezing else { return }
    for line in program.lines where line.duplicate == nil {
      drop(line, from: program)
      events.append(.lineLost(program.id, line.id))
    }
    requestFreeze(program, Ticket(ticket))
    pump()
  }
}

extension Offload {
  init(_ rule: Request.Offload) {
    self =
      switch rule {
      case .line: .line
      case .crlf: .crlf
      case .udpKeepalive: .udpKeepalive
      case .stun: .stun
      }
  }
}

extension Vocabulary.LineKind {
  init(_ kind: LineDescription.Kind) {
    self =
      switch kind {
      case .tcp: .tcp
      case .udp: .udp
      case .tcpListen: .tcpListen
      case .unix: .unix
      case .set: .set
      case .other: .other
      }
  }
}
