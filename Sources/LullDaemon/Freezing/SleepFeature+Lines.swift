import LullChannel
import LullEngine
import LullInspect
import LullSystem
import LullWire

extension SleepFeature {
  func keepPathsOpen(_ id: AppID) {
    sources.keepPathsOpen(of: id, to: program(id)?.command?.udpKeepAliveTo)
  }

  /// A message that cannot be answered is left for the program, which is woken: if the line were watched
  /// again, it would be ready at once and for ever.
  func answerPing(_ id: AppID, _ line: LineID) {
    if let probes = sources.takeProbes(on: line, of: id) { return answer(probes, on: line, of: id) }
    guard let outcome = sources.answerPing(line, of: id) else { return }
    notes.noteAnswer(outcome, on: sources.text(of: line, id), of: id)
    if case .answered = outcome { return host.queue(.pingAnswered(id, line)) }
    host.queue(.ready(id, line, .data))
  }

  func hold(_ hold: Request.Hold, for program: Program, from client: Client, _ descriptor: DescriptorBox?)
    -> Reply
  {
    guard let descriptor else { return .missingDescriptor }
    do {
      try reactor.probe(descriptor.raw)
    } catch {
      return .error(
        .notPollable, .init(.descriptorUnwatchable, number: hold.descriptor, error: error.message))
    }
    guard let identity = journal.ignoring([], try FileIdentity.of(descriptor.raw)) else {
      return .error(.badValue, .init(.descriptorUnreadable, number: hold.descriptor))
    }
    let description = Socket.describe(descriptor.raw)
    if let refusal = refuseOffload(hold, description) { return refusal }
    let purpose = hold.type ?? .voip
    switch ask(.hold(program.id, purpose, hold.offload)) {
    case .line(let id):
      if let interval = hold.tcpKeepAlive {
        let seconds = Int32(clamping: max(1, interval.nanoseconds / 1_000_000_000))
        journal.ignoring([], try Socket.setKeepAlive(descriptor.raw, idleSeconds: seconds))
      }
      sources.hold(
        hold, of: client.pidfd, identity: identity, description: description, as: id, in: program.id)
      kept.lines.hold(
        hold, as: id, of: program,
        LineCopy(line: id, descriptor: descriptor, identity: identity, description: description),
        keeps: program.hasLinesHeld)
      return .ok(
        Message(.ok).adding(.line, id.number).adding(.kind, description.kind.rawValue).adding(
          .local, description.local
        )
        .adding(.peer, description.peer))
    case .refused(let refusal): return Reply(refusal)
    default: return Reply(.gone)
    }
  }

  private func refuseOffload(_ hold: Request.Hold, _ description: LineDescription) -> Reply? {
    for (rule, word) in Offload.all where hold.offload.contains(rule) {
      let isOfDatagrams = rule == .udpKeepalive || rule == .stun
      guard description.kind != (isOfDatagrams ? .udp : .tcp) else { continue }
      return .error(.badValue, .init(isOfDatagrams ? .needsUDP : .needsTCP, text: "offload=\(word)"))
    }
    if hold.tcpKeepAlive != nil, description.kind != .tcp {
      return .error(.badValue, .init(.needsTCP, text: Key.tcpKeepalive.rawValue))
    }
    return nil
  }

  func releaseLine(_ line: LineID, of program: Program) -> Reply {
    guard sources.hasLine(line, of: program.id) else { return Reply(.noSuchLine(line)) }
    let answer = ask(.release(program.id, line))
    sources.drop(line, of: program.id)
    kept.lines.release(line, of: program.id)
    return Reply(answer)
  }

  /// For a program over which the daemon has no ptrace rights, before it sleeps.
  func handover(_ line: LineID, ticket: Ticket, of program: Program, descriptor: DescriptorBox?)
    -> Reply
  {
    if program.parting != nil, program.hasLinesHeld, let descriptor {
      return kept.keep(descriptor, line, of: program)
    }
    guard freezer.isPreparing(program.id, ticket) else { return .ok }
    guard let descriptor, sources.hasLine(line, of: program.id) else { return Reply(.noSuchLine(line)) }
    sources.handOver(line, of: program.id, descriptor)
    return .ok
  }

  func handedOver(_ ticket: Ticket, by program: Program) {
    guard freezer.isPreparing(program.id, ticket) else { return }
    host.queue(sources.dropMissing(of: program.id))
    requestFreeze(program, ticket)
    pump()
  }
}
