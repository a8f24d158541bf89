import LullEngine
import LullSystem
import LullWire

extension LifecycleFeature {
  func attach(_ name: String, _ client: Client) -> Reply {
    guard let id = host.engine.find(name: name), let program = program(id), program.isCommand else {
      // Its keeper hands it over when it hears this. By `busy` each of the two would wait for the other.
      guard let end = exits.take(name) else { return unknown(name) }
      send(end.notice, to: client)
      return .ok(Message(.ok).adding(.name, name).adding(.pid, end.pid))
    }
    control.programs.watch(id, client)
    // The connection of anybody else is no hold on the program.
    if isParent(client, of: program) {
      control.programs.setDetached(id, program.command?.run.detach ?? true)
    }
    if let status = program.leaderStatus { send(Exits.notice(of: program.name, status), to: client) }
    return .ok(Message(.ok).adding(.name, name).adding(.pid, program.pid))
  }

  private func isParent(_ client: Client, of program: Program) -> Bool {
    program.leaderStatus == nil && parent(of: program.pid) == client.pid
  }

  /// The parent of a command is about to take the status of its end.
  func ended(_ name: String, status: ExitStatus, client: Client) -> Reply {
    guard let id = host.engine.find(name: name), let program = program(id), program.isCommand else {
      return noSuchProgram(name)
    }
    guard program.leaderStatus == nil else { return .ok }
    guard isParent(client, of: program), hasEnded(program) else {
      return .error(code: .refused, message: "only the parent of \"\(name)\" may tell its end")
    }
    ended(program, endStatus(of: program) ?? status)
    return .ok
  }

  /// Sends a signal to a program, which is woken for it. One that was `sent` has come to it already, or waits
  /// for it to wake.
  func signal(_ name: String, _ number: Int32, sent: Bool) -> Reply {
    guard let id = host.engine.find(name: name), let program = program(id) else { return noSuchProgram(name) }
    // SIGCONT, with which a program goes on that is held still by SIGSTOP, drops a stop that waits.
    let isDropped = Signal.stopping.contains(number) && program.suspender.stopsBySignal
    // A signal that the program handles would wait for the next thaw.
    switch Policy.meaning(ofSignal: number) {
    case .kills: break
    case .asksToEnd:
      feed(.ending(id))
      noteEnding(of: id)
    case .wakes: feed(.signalled(id))
    }
    freezer.signalled(id, at: seenAt)
    guard !sent || isDropped else { return .ok }
    do {
      try send(number, to: program)
      return .ok
    } catch {
      return .error(
        code: .refused, message: "signal \(number) cannot be sent to \"\(name)\": \(error.message)")
    }
  }
}
