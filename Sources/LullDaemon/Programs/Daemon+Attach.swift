import LullEngine
import LullSystem
import LullWire

// The requests of a client about a command that runs.
extension Daemon {
  func attach(_ name: String, _ client: Client) -> Reply {
    guard let id = host.engine.find(name: name), let program = program(id), program.isCommand else {
      guard let end = exits.take(name) else { return noSuchProgram(name) }
      send(end.notice, to: client)
      return .ok(Message(.ok).adding(.name, name).adding(.pid, end.pid))
    }
    control.programs.watch(id, client)
    control.programs.setDetached(id, false)
    if let status = program.leaderStatus { send(Exits.notice(of: program.name, status), to: client) }
    return .ok(Message(.ok).adding(.name, name).adding(.pid, program.pid))
  }

  func signal(_ name: String, _ number: Int32) -> Reply {
    guard let id = host.engine.find(name: name), let program = program(id) else { return noSuchProgram(name) }
    // A signal that the program handles would wait for the next thaw.
    switch Policy.meaning(ofSignal: number) {
    case .kills: break
    case .asksToEnd: feed(.ending(id))
    case .wakes: feed(.signalled(id))
    }
    freezer.signalled(id, at: seenAt)
    do {
      try send(number, to: program)
      return .ok
    } catch {
      return .error(
        code: .refused, message: "signal \(number) cannot be sent to \"\(name)\": \(error.message)")
    }
  }
}
