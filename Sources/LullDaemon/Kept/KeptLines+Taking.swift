import LullEngine
import LullInspect
import LullSystem
import LullWire

struct TakingLook {
  var awaitedInodes: Set<UInt64> = []
  /// Duplicates of its sockets.
  var sockets: [LineCopy] = []
  /// Each of its threads waits, and all of its waits were read.
  var isIdle = true
}

extension KeptLines {
  struct Taking {
    let program: AppID
    let name: String
    fileprivate var rule: LineTaking
    var nextLook: Moment { rule.nextLook }
  }

  func beginLooking(at program: Program) {
    takings.removeAll { $0.name == program.name }
    takings.append(Taking(program: program.id, name: program.name, rule: LineTaking(at: now, policy)))
  }

  func stopLooking(at id: AppID) { takings.removeAll { $0.program == id } }

  /// True until it is decided that it takes its lines. One that does not is looked at until it has ended.
  func isLookedAt(_ name: String) -> Bool { takings.contains { $0.name == name } }

  func dueForLook() -> [AppID] { takings.filter { $0.nextLook <= now }.map(\.program) }

  /// Returns true when the program does not take its lines.
  func saw(_ look: TakingLook, at id: AppID) -> Bool {
    guard let index = takings.firstIndex(where: { $0.program == id }) else { return false }
    let name = takings[index].name
    let own = entries.filter { $0.record.program == name && $0.record.purpose == nil && $0.awaitsProgram }
    let others = look.sockets.filter { socket in !own.contains { $0.identity == socket.identity } }
    let lines = own.map { $0.line(in: look, others.map(\.description)) }
    switch takings[index].rule.saw(lines, isIdle: look.isIdle, at: now) {
    case .undecided: return false
    case .taken:
      stopLooking(at: id)
      return false
    case .untaken(let left):
      let named = Self.named(own.filter { left.contains($0.record.id) })
      untaken.add(name, named)
      note(EndWords.linesUntaken, of: name, named)
      return true
    }
  }
}

extension KeptEntry {
  /// `others`: the program's sockets that it did not get back.
  fileprivate func line(in look: TakingLook, _ others: [LineDescription]) -> LineTaking.Line {
    let takesPeers = description.isListening || description.kind == .udp
    let hasRival = others.contains {
      $0.kind == description.kind && $0.isListening == description.isListening && $0.peer.isEmpty
        && !$0.local.isEmpty && $0.local == description.local
    }
    // Who serves one peer after the other need not wait for the next one.
    let hasAccepted =
      !hasRival && description.isListening && others.contains { !$0.isListening && isPlace(of: $0) }
    return LineTaking.Line(
      record.id, takesPeers: takesPeers && description.peer.isEmpty,
      isUsed: hasAccepted || look.awaitedInodes.contains(identity.inode), isReadable: isReadable,
      hasRival: takesPeers && hasRival)
  }

  /// True for a connection that has come on the listening line: it has its port, or the path of its socket.
  private func isPlace(of connection: LineDescription) -> Bool {
    switch description.kind {
    case .tcpListen: connection.kind == .tcp && connection.localPort == description.localPort
    default: connection.kind == description.kind && connection.local == description.local
    }
  }
}
