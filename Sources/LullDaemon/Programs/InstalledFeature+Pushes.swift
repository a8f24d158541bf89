import LullChannel
import LullEngine
import LullSystem
import LullWire

// Pushes go to the program that runs, or start it.
extension InstalledFeature {
  /// The title is shown unless the push is silent, or is refused.
  func push(_ descriptor: DescriptorBox?, title: String?, to name: String, isSilent: Bool) -> Reply {
    var push = RemoteNotification(title: title)
    if let descriptor {
      do throws(SystemError) {
        push.payload = try Files.readMemoryFile(descriptor.raw, limit: Limits.maximumPayload)
      } catch {
        let limit = Double(Limits.maximumPayload)
        return .error(.badValue, .init(.payloadUnreadable, limit: limit, error: error.message))
      }
    }
    let reply = self.push(push, to: name)
    if case .ok = reply, let title, !isSilent { _ = ask(.announce(title, program: name)) }
    return reply
  }

  private func push(_ push: RemoteNotification, to name: String) -> Reply {
    if let program = program(named: name) { return self.push(push, in: program) }
    guard UnknownProgram.isStartable(name) else { return noSuchProgram(name) }
    guard !isQuit(name) else { return Reply(.wasQuit(name)) }
    if let problem = problem(ofInstalled: name) {
      return .error(.noSuchProgram, .init(.pushNotStarted, name: name, error: "\(problem)"))
    }
    return launch(name, Launch(.push, push: push))
  }

  private func push(_ push: RemoteNotification, in program: Program) -> Reply {
    guard !program.isUnmanaged else { return Reply(.isUnmanaged) }
    let speaks = speaks(program.id)
    guard speaks || push.payload.isEmpty else {
      // The race: it was just started, and has not registered yet.
      if engine.isOnItsWay(program.name) { return launch(program.name, Launch(.push, push: push)) }
      return .error(.unsupported, .init(.payloadOnlyAtStart, name: program.name))
    }
    let answer = ask(.push(program.id, push))
    guard case .done = answer else { return Reply(answer) }
    return .ok(Message(.ok).adding(.name, program.name))
  }

  /// Without memory for the payload the program learns that there was a push, and the journal says why.
  func tell(_ push: RemoteNotification, to id: AppID, _ ticket: Ticket) {
    guard let speaker = control.programs.speaker(of: id) else { return }
    let file =
      push.payload.isEmpty
      ? nil : journal.ignoring([], DescriptorBox(try Files.memoryFile(name: "lull-push", push.payload)))
    control.send(ProgramNotice.push(ticket, push).message, to: speaker, descriptor: file)
  }
}
