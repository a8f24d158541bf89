import LullEngine
import LullSystem

// The wake path: the thaw first, then the engine, then words.
extension Daemon {
  /// Whoever sent the byte waits for this write: it comes before everything else, for all programs of one
  /// wake-up. The engine has said in its plan that whatever becomes ready wakes the program.
  func thawAtOnce(_ token: Token, _ readiness: LullSystem.Readiness) {
    guard let line = lineSlots[token], let program = line.program, program.wakesAtOnce else { return }
    // A thread that waits in recvfrom has the datagram, and its sender with it, before anybody could ask.
    if line.description.kind == .udp, !readiness.contains(.error), let duplicate = line.duplicate {
      line.found?.newSender = Socket.peekSender(duplicate.raw)
    }
    guard (try? program.suspender.thaw()) != nil else { return }
    program.isThawed = true
    program.waitedMicroseconds = (Clock.boottime() - seenAt) / 1000
  }

  func lineReady(_ token: Token, _ readiness: LullSystem.Readiness) {
    guard let line = lineSlots[token], let program = line.program else { return }
    line.epollSet?.isArmed = false
    // A set and its member are ready at once: the first one has woken the program.
    guard case .frozen = program.freezing else { return }
    guard line.epollSet != nil || line.duplicate != nil, !isOldNews(line, readiness) else { return }
    if !program.isThawed { program.wokenAt = seenAt }
    let (named, what) = name(line, readiness, program)
    noteSender(program, named, what)
    feed(.ready(program.id, named.id, classify(named, what)))
  }

  /// The connection behind the readiness of a small set. The program may run already and have read it: then
  /// nobody can tell, and the set stands for it.
  func name(
    _ line: HeldLine, _ readiness: LullSystem.Readiness, _ program: Program
  ) -> (HeldLine, LullSystem.Readiness) {
    guard let set = line.epollSet else { return (line, readiness.union(ending(line, readiness))) }
    guard !set.isLarge else { return (line, readiness) }
    let members = program.lines.filter { $0.duplicate != nil && $0.found?.set === set }
    var entries = members.map { PollEntry($0.duplicate?.raw ?? -1, $0.interest.subtracting(.oneShot)) }
    guard !entries.isEmpty, (try? Socket.pollMany(&entries, timeoutMilliseconds: 0)) ?? 0 > 0 else {
      return (members.count == 1 ? members[0] : line, .readable)
    }
    for (member, entry) in zip(members, entries) where !entry.readiness.subtracting(.writable).isEmpty {
      let readiness = entry.readiness.subtracting(.writable)
      return (member, readiness.union(ending(member, readiness)))
    }
    for (member, entry) in zip(members, entries) where !entry.readiness.isEmpty {
      return (member, entry.readiness)
    }
    return (line, .readable)
  }

  /// A thread that only waits for bytes is woken by the end of a connection too.
  private func ending(_ line: HeldLine, _ readiness: LullSystem.Readiness) -> LullSystem.Readiness {
    guard readiness.contains(.readable), line.found != nil, line.description.kind == .tcp,
      let duplicate = line.duplicate
    else { return [] }
    return (try? Socket.poll(duplicate.raw, .readHangUp, timeoutMilliseconds: 0)) ?? []
  }

  /// Who sent a datagram is known only until the program has read it.
  private func noteSender(_ program: Program, _ line: HeldLine, _ readiness: LullSystem.Readiness) {
    program.wakeSource = (line.description, nil)
    program.wakeSize = line.epollSet.flatMap { $0.isLarge ? $0.count : nil }
    guard line.description.kind == .udp, !readiness.contains(.error), let duplicate = line.duplicate,
      let sender = line.found?.newSender ?? Socket.peekSender(duplicate.raw)
    else { return }
    program.wakeSource?.sender = sender
    line.found?.lastSender = sender
    line.found?.newSender = nil
  }

  func classify(_ line: HeldLine, _ readiness: LullSystem.Readiness) -> LullEngine.Readiness {
    if line.epollSet != nil { return .data }
    if readiness.contains(.error) { return .error }
    // The bytes were there before: the room is what is new.
    if readiness.contains(.writable), line.found?.isDisregarded == true { return .writable }
    if line.description.isListening { return .accept }
    if readiness.contains(.readHangUp) || readiness.contains(.hangUp) { return .closed }
    if readiness == .writable { return .writable }
    if !line.offload.isEmpty, let duplicate = line.duplicate, offloaded(line, duplicate) { return .ping }
    return .data
  }

  /// True for what is readable as it has been since long.
  private func isOldNews(_ line: HeldLine, _ readiness: LullSystem.Readiness) -> Bool {
    guard let oldNews = line.found?.oldNews, let duplicate = line.duplicate else { return false }
    line.found?.oldNews = nil
    return oldNews == trace(duplicate, line.description, readiness.subtracting(.writable))
  }

  func readiness(of line: HeldLine, _ duplicate: DescriptorBox) -> LullSystem.Readiness {
    (try? Socket.poll(duplicate.raw, [.readable, .readHangUp], timeoutMilliseconds: 0)) ?? []
  }

  /// Writes the thaw and nothing else: the caller of this program waits for it.
  func thaw(_ id: AppID) {
    guard let program = program(id) else { return }
    do {
      switch program.freezing {
      case .decided, .preparing: break
      case .none, .requested, .frozen: if !program.isThawed { try program.suspender.thaw() }
      }
    } catch {
      program.remark = "cannot be thawed: \(error)"
    }
    if program.wokenAt != nil { program.waitedMicroseconds = (Clock.boottime() - seenAt) / 1000 }
    program.isThawed = false
    program.wokenAt = nil
    program.freezing = .none
    released.append(program)
  }

  /// Releases what was watched of every program that was thawed in this turn, so that its own close() is seen
  /// by its peer.
  func releaseDuplicates() {
    while let program = released.popLast() {
      if case .frozen = program.freezing { continue }
      release(program)
    }
  }
}
