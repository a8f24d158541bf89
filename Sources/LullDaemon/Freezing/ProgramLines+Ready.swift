import LullEngine
import LullInspect
import LullSystem

extension ProgramLines {
  /// Nil when the readiness is no news.
  func ready(_ line: HeldLine, _ readiness: Readiness, isThawed: Bool) -> Event? {
    guard line.epollSet != nil || line.duplicate != nil, !line.isOldNews(readiness) else { return nil }
    if !isThawed { wake.awaitsThaw = true }
    let (named, what) = name(line, readiness)
    noteSource(named, what)
    return .ready(app, named.id, classify(named, what))
  }

  /// The connection behind the readiness of a small set. A program that runs already may have read it: then
  /// nobody can tell, and the set stands for it.
  func name(_ line: HeldLine, _ readiness: Readiness) -> (HeldLine, Readiness) {
    guard let set = line.epollSet else { return (line, readiness.union(line.ending(readiness))) }
    guard !set.facts.isLarge else { return (line, readiness) }
    let members = lines.filter { $0.duplicate != nil && $0.found?.outerSet == line.id }
    var entries = members.map { PollEntry($0.duplicate?.raw ?? -1, $0.interest.subtracting(.oneShot)) }
    guard areReady(&entries) else {
      return (members.count == 1 ? members[0] : line, .readable)
    }
    for (member, entry) in zip(members, entries) where !entry.readiness.subtracting(.writable).isEmpty {
      let readiness = entry.readiness.subtracting(.writable)
      return (member, readiness.union(member.ending(readiness)))
    }
    for (member, entry) in zip(members, entries) where !entry.readiness.isEmpty {
      return (member, entry.readiness)
    }
    return (line, .readable)
  }

  func classify(_ line: HeldLine, _ readiness: Readiness) -> LineReadiness {
    if line.epollSet != nil { return .data }
    if readiness.contains(.error) { return .error }
    // The bytes were there before: the room in the send buffer is the news.
    if readiness.contains(.writable), line.found?.isDisregarded == true { return .writable }
    if line.description.isListening { return .accept }
    if readiness.contains(.readHangUp) || readiness.contains(.hangUp) { return .closed }
    if readiness == .writable { return .writable }
    if !line.offload.isEmpty, let duplicate = line.duplicate,
      services.responder.covers(line.offload, duplicate, log: services.journal)
    {
      return .ping
    }
    return .data
  }

  /// Notes the sender of a datagram, which is known only until the program has read it.
  private func noteSource(_ line: HeldLine, _ readiness: Readiness) {
    var sender: SocketAddress?
    if line.description.kind == .udp, !readiness.contains(.error), let duplicate = line.duplicate {
      sender = line.found?.newSender ?? Socket.peekSender(duplicate.raw)
    }
    let size = line.epollSet.flatMap { $0.facts.isLarge ? $0.count : nil }
    wake.woken(by: line.description, sender: sender, size: size)
    guard let sender else { return }
    line.found?.lastSender = sender
    line.found?.newSender = nil
  }
}

extension HeldLine {
  /// The end of a connection, added to its readiness: it also wakes a thread that only waits for bytes.
  fileprivate func ending(_ readiness: Readiness) -> Readiness {
    guard readiness.contains(.readable), found != nil, description.kind == .tcp, let duplicate else {
      return []
    }
    return (try? Socket.poll(duplicate.raw, .readHangUp, timeoutMilliseconds: 0)) ?? []
  }

  /// True when a line is readable only by bytes that were there long before.
  fileprivate func isOldNews(_ readiness: Readiness) -> Bool {
    guard let oldNews = found?.oldNews, let duplicate else { return false }
    found?.oldNews = nil
    return oldNews
      == Socket.trace(duplicate.raw, description: description, readiness: readiness.subtracting(.writable))
  }
}
