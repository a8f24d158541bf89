import LullChannel
import LullEngine
import LullSystem

// Health checks: who waits in the queue of a sleeper is looked at first, and the program may not be woken.
extension SleepFeature {
  /// False where the program is woken by what came: it does not look, or nobody can tell who waits there.
  func looksAtQueue(of line: Slot, _ id: AppID) -> Bool {
    guard !freezer.isThawed(id), let rules = program(id)?.command else { return false }
    return sources.look(atQueueOf: line, by: rules)
  }

  func queuesSeen() {
    for seen in sources.takeLooks() {
      guard freezer.isFrozen(seen.id), let rules = program(seen.id)?.command else { continue }
      let verdict = seen.queue.map { rules.verdict(on: $0, port: seen.port, room: probes.room) } ?? .wake
      switch verdict {
      case .leave:
        if seen.isStale, !looksAtQueue(of: seen.line, seen.id) { tell(.accept, of: seen.line, seen.id) }
      case .wake: tell(.accept, of: seen.line, seen.id)
      case .answer(let count):
        sources.expect(count, probesOn: seen.line)
        tell(.probe, of: seen.line, seen.id)
      }
    }
  }

  private func tell(_ readiness: LineReadiness, of line: Slot, _ id: AppID) {
    guard case .ready(_, let line, _)? = sources.ready(line, .readable, isThawed: freezer.isThawed(id)) else {
      return
    }
    feed(.ready(id, line, readiness))
  }

  /// Whoever is not answered here is not lost: his connection is complete, and is closed.
  func answer(_ connections: [DescriptorBox], on line: LineID, of id: AppID) {
    guard let rules = program(id)?.command else { return }
    let port = sources.port(of: line, id)
    for connection in connections {
      guard rules.ignores(connection), probes.add(connection, on: line, of: id, by: rules.probes(at: port))
      else {
        refuse(line, of: id)
        continue
      }
    }
    if !sources.lookAgain(atQueueOf: line, id, by: rules) { host.queue(.ready(id, line, .accept)) }
  }

  func probeReady(_ number: UInt64) { if let outcome = probes.ready(number) { end(outcome) } }

  func endProbes() { for outcome in probes.timeIsUp() { end(outcome) } }

  private func end(_ outcome: ProbeAnswers.Outcome) {
    guard outcome.isAnswered else { return refuse(outcome.line, of: outcome.app) }
    host.queue(.pingAnswered(outcome.app, outcome.line))
  }

  /// A connection cannot be put back. The program is woken, so that it hears the next one.
  private func refuse(_ line: LineID, of id: AppID) {
    notes.noteRefusedProbe(on: sources.text(of: line, id), of: id)
    host.queue(.ready(id, line, .accept))
  }
}
