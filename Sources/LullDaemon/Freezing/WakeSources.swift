import LullChannel
import LullEngine
import LullInspect
import LullSystem

/// The wake sources of each program: its declared lines, the lines that were found in it, their watch while
/// it sleeps, and the source of its last wake. Only this owner arms and disarms lines.
final class WakeSources {
  enum Progress {
    /// Lines remain to be armed or polled; the events end lines that turned out to be closed.
    case goesOn([Event])
    /// Events came before the watch was complete.
    case ready([Event])
    case done
  }

  let services: LineServices
  private(set) var programs = AppTable<ProgramLines>()

  init(_ reactor: DaemonReactor, closer: Closer, releases: ReleaseQueue, journal: Journal) {
    services = LineServices(reactor: reactor, closer: closer, releases: releases, journal: journal)
  }

  func lines(of id: AppID) -> ProgramLines {
    if let lines = programs[id] { return lines }
    let lines = ProgramLines(id, services)
    programs[id] = lines
    return lines
  }

  // MARK: Lines

  func hasLines(_ id: AppID) -> Bool { programs[id]?.lines.isEmpty == false }

  func hold(_ declared: DeclaredLine, as line: LineID, of id: AppID) {
    lines(of: id).add(
      services.slots.insert { slot in
        HeldLine(
          id: line, app: id, number: declared.number, owner: declared.owner, identity: declared.identity,
          description: declared.description, offload: declared.offload, slot: slot)
      })
  }

  func hasLine(_ line: LineID, of id: AppID) -> Bool { programs[id]?.line(line) != nil }

  func drop(_ line: LineID, of id: AppID) {
    guard let lines = programs[id], let line = lines.line(line) else { return }
    lines.drop(line)
  }

  /// Ends found lines when the program speaks for itself, and its declared lines when it leaves.
  func dropAll(of id: AppID) { programs[id]?.dropAll() }

  func handOver(_ line: LineID, of id: AppID, _ descriptor: DescriptorBox) {
    programs[id]?.line(line)?.duplicate = descriptor
  }

  func dropMissing(of id: AppID) -> [Event] {
    guard let lines = programs[id] else { return [] }
    return lines.lines.filter { $0.duplicate == nil }.map { line in
      lines.drop(line)
      return .lineLost(id, line.id)
    }
  }

  // MARK: Arming

  func beginArming(of id: AppID, _ plan: WatchPlan, tcpKeepAlive: Int32?) {
    lines(of: id).arming = Arming(plan, tcpKeepAlive: tcpKeepAlive)
  }

  func armNext(of id: AppID) throws(SystemError) -> Progress {
    guard let lines = programs[id] else { return .done }
    return try lines.armNext()
  }

  func release(_ id: AppID) { programs[id]?.release() }

  func forget(_ id: AppID) {
    programs[id]?.release()
    programs[id]?.dropAll()
    programs[id] = nil
  }

  // MARK: Waking

  func program(wokenBy slot: Slot) -> (id: AppID, isDatagram: Bool)? {
    guard let line = services.slots[slot] else { return nil }
    return (line.app, line.description.kind == .udp)
  }

  func isSet(_ slot: Slot) -> Bool { services.slots[slot]?.epollSet != nil }

  /// Notes the sender of a datagram. A thread that waits in recvfrom takes the datagram, and its sender with
  /// it, before the daemon could ask.
  func noteSender(_ slot: Slot) {
    guard let line = services.slots[slot], let duplicate = line.duplicate else { return }
    line.found?.newSender = Socket.peekSender(duplicate.raw)
  }

  func fired(_ slot: Slot) { services.slots[slot]?.epollSet?.fired() }

  /// `isThawed`: the program runs already.
  func ready(_ slot: Slot, _ readiness: Readiness, isThawed: Bool) -> Event? {
    guard let line = services.slots[slot] else { return nil }
    return programs[line.app]?.ready(line, readiness, isThawed: isThawed)
  }

  func thawedAtOnce(_ id: AppID, after nanoseconds: Int64) {
    programs[id]?.wake.waitedMicroseconds = nanoseconds / 1000
  }

  func thawed(_ id: AppID, after nanoseconds: @autoclosure () -> Int64) {
    guard let lines = programs[id], lines.wake.awaitsThaw else { return }
    lines.wake.waitedMicroseconds = nanoseconds() / 1000
    lines.wake.awaitsThaw = false
  }

  /// Notes a wake without a line: the wait of an earlier wake's data says nothing of it.
  func wokenWithoutLine(_ id: AppID) { programs[id]?.wake.waitedMicroseconds = nil }

  func wake(of id: AppID) -> WakeFacts { programs[id]?.wake ?? WakeFacts() }

  // MARK: Speaking for a sleeper

  /// Answers the ping that lies on a line and watches the line again.
  func answerPing(_ line: LineID, of id: AppID) -> OffloadResponder.Outcome? {
    guard let lines = programs[id], let line = lines.line(line), let duplicate = line.duplicate else {
      return nil
    }
    let outcome = services.responder.respond(line.offload, duplicate, log: services.journal)
    guard case .answered = outcome else { return outcome }
    lines.wake.awaitsThaw = false
    do {
      guard let registration = line.registration else { return .notCovered }
      try services.reactor.modify(registration, line.interest)
      return .answered
    } catch {
      // A line that is not watched would never wake the program again: the program is woken now.
      return .notCovered
    }
  }

  /// Sends a NAT keep-alive from each UDP socket to its peer, to `address`, or to the last sender. It is a
  /// double CRLF, which SIP ignores (RFC 3261, section 7.5).
  func keepPathsOpen(of id: AppID, to address: SocketAddress?) {
    let bytes = Array("\r\n\r\n".utf8)
    for line in programs[id]?.lines ?? [] where line.description.kind == .udp {
      guard let duplicate = line.duplicate else { continue }
      if !line.description.peer.isEmpty {
        services.journal.ignoring(.closed, try Socket.write(duplicate.raw, bytes))
      } else if let sender = address ?? line.found?.lastSender {
        services.journal.ignoring(.closed, try Socket.sendDatagram(duplicate.raw, bytes, to: sender))
      }
    }
  }
}
