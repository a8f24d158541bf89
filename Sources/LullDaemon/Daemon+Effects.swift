import LullEngine
import LullSystem
import LullWire

extension Daemon {
  /// Performing an effect never feeds the engine: events that follow are put in the queue of work.
  func perform(_ effect: Effect) {
    switch effect {
    case .thaw(let id): thaw(id)
    case .freeze(let id, let ticket): freezer.decide(id, ticket)
    case .watch(let id, let ticket, let plan): watch(id, ticket: ticket, plan: plan)
    case .woke(let id, let wake, let ticket): tellWake(id, wake, ticket: ticket)
    case .answerPing(let id, let line): answerPing(id, line)
    case .keepPathsOpen(let id): keepPathsOpen(id)
    case .compact(let id, let ticket): compact(id, ticket)
    case .checkLocks(let id): care.lockChecks.add(id)
    case .checkSignals(let id): care.signalChecks.add(id)
    case .weigh(let id, let weight): weigh(id, weight)
    case .exempt(let id): exempt(id)
    case .deliver(let id, let message, let ticket):
      tell(id, .deliver(message, ticket))
      if message == .willTerminate { noteEnding(of: id) }
    case .runKeepAlive(let id, let ticket): runKeepAlive(id, ticket)
    case .expire(let id, let task): tell(id, .expire(task))
    case .action(let id, let notification, let action, let ticket):
      tell(id, .action(ticket, notification, action, token: presenter.takeToken(of: notification)))
    case .open(let id, let url, let ticket): tell(id, .open(ticket, url))
    case .receive(let id, let notification, let content):
      tell(id, .received(notification, content))
    case .show(let notification, let program, let content): show(notification, of: program, content)
    case .keep(let notification): keep(notification)
    case .drop(let id, let isScheduled): ledger.note(.withdrawn(id, isScheduled: isScheduled))
    case .withdraw(let notification):
      presenter.withdraw(notification)
      alerts.withdraw(notification)
      let notice = Message(event: .withdrawn).adding(.notification, notification.number)
      control.broadcast(notice, to: .notifications)
      notifyHook.withdrawn(notification)
    case .terminate(let id): terminate(id)
    case .kill(let id, _): kill(id)
    case .measure(let ids, let ticket): measure(ids, ticket)
    case .keepLines(let id): keepLines(id)
    case .warnMemory(let id): warnMemory(id)
    case .restPressure(let level, let time): restPressure(level, time)
    case .order(let id, let session, let order): sound.order(session, of: id, order)
    case .interruption(let id, let session, let change):
      tellInterruption(id, session: session, change: change)
    case .route(let id): tellRoutes(id)
    case .changed(let id, let news): tell(id, .changed(news))
    case .launch(let name, let launch): begin(name, launch)
    case .giveUpLaunch(let name): keepers.giveUp(name)
    case .keepInstalled: noteInstalledPrograms()
    case .forget(let id): forget(id)
    case .note(let id, let note):
      if case .frozen = note, let id {
        scores.slept(id, at: now)
        carryOut(sound.leave(id))
      }
      write(note, of: id)
    }
  }

  private func runKeepAlive(_ id: AppID, _ ticket: Ticket) {
    if let program = program(id), let state = program.commandState {
      // The next daemon must not run the keep-alive too soon, nor too late.
      state.keepAliveRan(at: host.seenAt)
      note(program)
    }
    tell(id, .keepAlive(ticket))
  }

  private func tellWake(_ id: AppID, _ wake: Wake, ticket: Ticket) {
    // The wait of an earlier wake's data says nothing of this wake.
    if wake.line == nil { sources.wokenWithoutLine(id) }
    let waited = sources.wake(of: id).waitedMicroseconds
    tell(id, .wake(ticket, wake.reason, line: wake.line, waitedMicroseconds: waited))
  }

  private func show(_ notification: NotificationID, of program: String, _ content: LocalNotification) {
    presenter.show(
      NotificationToShow(id: notification, program: program, content: content, isQuiet: ledger.ledger.isQuiet)
    )
    var heard = content
    if ledger.ledger.isQuiet || presenter.isInhibited { heard.sound = nil }
    alerts.show(notification, heard, of: program)
    let item = NotificationItem {
      ($0.id, $0.program, $0.content) = (UInt64(notification.number), program, content)
      $0.state = Vocabulary.NotificationState.pending.rawValue
    }
    control.broadcast(item.adding(to: Message(event: .notification)), to: .notifications)
    notifyHook.shown(notification, of: program, content)
  }

  /// Signals a program: of a command every process in its leader's process group, as a shell would. The group
  /// is the caller's too, so each process is signalled by itself.
  func send(_ signal: Int32, to program: Program) throws(SystemError) {
    guard program.isCommand else { return try Process.sendSignal(program.pidfd.raw, signal) }
    try sendToEach(signal, of: program)
  }

  func kill(_ id: AppID) {
    guard let program = program(id) else { return }
    program.killed()
    noteEnding(of: id)
    freezer.kill(id, program.suspender)
  }

  /// Remembers by its words a command that ended right after its trial freeze.
  private func exempt(_ id: AppID) {
    if let words = program(id)?.command?.words { commands.exempt(words) }
  }

  private func forget(_ id: AppID) {
    guard let program = program(id) else { return }
    tellEnd(of: program)
    if !program.isUnmanaged {
      keptLines.ended(program, keeps: keepsLines(program))
    }
    release(program)
    // A library program that has left runs on.
    care.weights.restore(id, program.suspender)
    care.forget(id)
    freezing.forget(id)
    putScoresBack(id)
    scores.forget(id)
    sound.forget(id)
    network.forget(id)
    closeEntry(of: program)
    programs.remove(id)
    control.programs.forget(id, isUnmanaged: program.isUnmanaged)
    program.unwatch(in: reactor)
    if case .signal(let tree, _) = program.suspender {
      for member in tree.members { member.unwatch(in: reactor) }
    }
    suspenders.dismiss(program.suspender)
  }
}
