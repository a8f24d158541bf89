import LullEngine
import LullSystem
import LullWire

extension Daemon {
  /// Performs one effect. It never feeds the engine: what follows from it is put in the queue of work.
  func perform(_ effect: Effect) {
    switch effect {
    case .thaw(let id): thaw(id)
    case .freeze(let id, let ticket): decideFreeze(id, ticket)
    case .watch(let id, let ticket, let plan): watch(id, ticket, plan)
    case .answer(let request, let answer): hand(answer, to: request)
    case .woke(let id, let wake, let ticket): tellWake(id, wake, ticket)
    case .answerPing(let id, let line): answerPing(id, line)
    case .keepPathsOpen(let id): keepPathsOpen(id)
    case .spare(let id): spare(id)
    case .deliver(let id, let message, let ticket):
      tell(id, Message(event: .deliver).adding(.message, message.rawValue).adding(.ticket, ticket.number))
    case .runKeepAlive(let id, let ticket): runKeepAlive(id, ticket)
    case .expire(let id, let task): tell(id, Message(event: .expire).adding(.task, task.number))
    case .action(let id, let notification, let action, let ticket):
      tell(
        id,
        Message(event: .action).adding(.ticket, ticket.number).adding(.notification, notification.number)
          .adding(.action, action))
    case .receive(let id, let notification, let content):
      tell(id, content.adding(to: Message(event: .received).adding(.notification, notification.number)))
    case .show(let notification, let id, let content): show(notification, id, content)
    case .withdraw(let notification):
      broadcast(Message(event: .withdrawn).adding(.notification, notification.number)) {
        $0.followsNotifications
      }
    case .terminate(let id): terminate(id)
    case .kill(let id, _): kill(id)
    case .order(let id, let session, let order): self.order(session, of: id, order)
    case .interruption(let id, let session, let change): tellInterruption(id, session, change)
    case .route(let id): tellRoute(id)
    case .forget(let id): forget(id)
    case .note(let id, let note): write(note, of: id)
    }
  }

  private func runKeepAlive(_ id: AppID, _ ticket: Ticket) {
    tell(id, Message(event: .keepalive).adding(.ticket, ticket.number))
    guard let program = program(id), program.command != nil, let registration = engine.registration(of: id)
    else { return }
    // The next daemon must not run it too soon, nor too late.
    program.keepAliveRanAt = seenAt
    guardian?.store(program, registration)
  }

  func tell(_ id: AppID, _ message: Message) {
    guard let speaker = program(id)?.speaker else { return }
    send(message, to: speaker)
  }

  func broadcast(_ message: Message, where wants: (Client) -> Bool) {
    let listeners = clients.all.filter(wants)
    guard !listeners.isEmpty else { return }
    var line: [UInt8] = []
    message.encodeTruncating(into: &line)
    for client in listeners { send(line: line, to: client) }
  }

  private func tellWake(_ id: AppID, _ wake: Wake, _ ticket: Ticket) {
    guard let program = program(id) else { return }
    // How long the data of an earlier wake waited says nothing of this one.
    if wake.line == nil { program.waitedMicroseconds = nil }
    var notice = Message(event: .wake).adding(.ticket, ticket.number).adding(.reason, wake.reason.rawValue)
    notice = notice.adding(.line, wake.line?.number)
    if let waited = program.waitedMicroseconds { notice = notice.adding(.waitedMicroseconds, waited) }
    tell(id, notice)
  }

  private func show(_ notification: NotificationID, _ id: AppID, _ content: LocalNotification) {
    let item = Message(event: .notification).adding(.notification, notification.number)
      .adding(.program, program(id)?.name)
    broadcast(content.adding(to: item).adding(.state, Vocabulary.NotificationState.pending.rawValue)) {
      $0.followsNotifications
    }
  }

  /// A command is asked by SIGTERM; a frozen one could not hear it, but the engine asks only those that run.
  private func terminate(_ id: AppID) {
    guard let program = program(id) else { return }
    try? send(Signal.terminate, to: program)
  }

  /// A command is a process group, as it would be under a shell. The group's number is sure to mean it while
  /// its leader is an unreaped child of this process; otherwise each process of the program is asked for
  /// itself.
  func send(_ signal: Int32, to program: Program) throws(SystemError) {
    guard program.isCommand else { return try Process.sendSignal(program.pidfd.raw, signal) }
    if program.leaderStatus == nil, (try? Process.parentPid(of: program.pid)) == Identity.pid() {
      return try Process.kill(group: program.pid, signal)
    }
    try sendToEach(signal, of: program)
  }

  /// A process that the freezer holds dies of SIGKILL at once; the thaw lets one that is half way into
  /// an unfinished freeze do the same.
  private func kill(_ id: AppID) {
    guard let program = program(id) else { return }
    try? program.suspender.kill()
    try? program.suspender.thaw()
    program.freezing = .none
    released.append(program)
  }

  static var sparedRemark: String {
    "left awake: it ended when it was frozen the last time that it ran; see trial-failed in `lull log`"
  }

  /// A command that ended right after its trial freeze is remembered by its words.
  private func spare(_ id: AppID) {
    guard let words = program(id)?.command?.words, !spared.contains(words) else { return }
    if spared.count == Self.maximumSpared { spared.removeFirst() }
    spared.append(words)
  }

  private func forget(_ id: AppID) {
    guard let program = program(id) else { return }
    program.freezing = .none
    release(program)
    dropLines(of: program)
    for session in program.sessions { closeSound(session) }
    program.sessions = []
    guardian?.tell(Message(GuardVerb.forget).adding(.name, program.name))
    programs[Int(id.slot)] = nil
    if let speaker = program.speaker { speaker.role = .operator }
    // It may have another connection, for another device of ALSA.
    for client in program.connections where program.isGuest { client.role = .operator }
    program.connections = []
    // A connection that lives long must not keep what the program had.
    for watcher in program.watchers { watcher.watched.removeAll { $0 === program } }
    program.watchers = []
    try? epoll.remove(program.pidfd.raw)
    switch program.suspender {
    case .cgroup(let cgroup): place.retire(cgroup)
    case .signal(let tree, _): try? tree.proceed()
    }
  }
}

extension LocalNotification {
  func adding(to message: Message) -> Message {
    message.adding(.body, body).adding(.title, title).adding(.action, action)
  }
}
