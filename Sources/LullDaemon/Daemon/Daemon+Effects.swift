import LullEngine
import LullSystem
import LullWire

extension Daemon {
  /// Performing an effect never feeds the engine: events that follow are put in the queue of work.
  func perform(_ effect: Effect) {
    switch effect {
    case .thaw(let id): sleeping.thaw(id)
    case .freeze(let id, let ticket): freezer.decide(id, ticket)
    case .watch(let id, let ticket, let plan): sleeping.watch(id, ticket: ticket, plan: plan)
    case .woke(let id, let wake, let ticket): tellWake(id, wake, ticket: ticket)
    case .answerPing(let id, let line): sleeping.answerPing(id, line)
    case .keepPathsOpen(let id): sleeping.keepPathsOpen(id)
    case .compact(let id, let ticket): memory.compact(id, ticket)
    case .checkLocks(let id): memory.checkLocks(of: id)
    case .checkSignals(let id): memory.checkSignals(of: id)
    case .weigh(let id, let weight): memory.weigh(id, weight)
    case .exempt(let id): lifecycle.exempt(id)
    case .deliver(let id, let message, let ticket):
      tell(id, .deliver(message, ticket))
      if message == .willTerminate { noteEnding(of: id) }
    case .runKeepAlive(let id, let ticket): lifecycle.runKeepAlive(id, ticket)
    case .runFetch(let id, let ticket): lifecycle.runFetch(id, ticket)
    case .expire(let id, let task): tell(id, .expire(task))
    case .action(let id, let notification, let action, let ticket):
      tell(id, .action(ticket, notification, action, token: desktop.takeToken(of: notification)))
    case .open(let id, let url, let ticket): tell(id, .open(ticket, url))
    case .push(let id, let push, let ticket): installed.tell(push, to: id, ticket)
    case .receive(let id, let notification, let content):
      tell(id, .received(notification, content))
    case .show(let notification, let program, let content): desktop.show(notification, of: program, content)
    case .record(let notification): desktop.record(notification)
    case .drop(let id, let isScheduled): ledger.note(.withdrawn(id, isScheduled: isScheduled))
    case .recordPermission(let entry): ledger.note(.recording(entry))
    case .withdraw(let notification): desktop.withdraw(notification)
    case .terminate(let id): lifecycle.terminate(id)
    case .kill(let id, _): lifecycle.kill(id)
    case .measure(let ids, let ticket): pressure.measure(ids, ticket)
    case .keepLines(let id): kept.keepLines(ofPurged: id)
    case .warnMemory(let id): pressure.warnMemory(id)
    case .restPressure(let level, let time): pressure.restPressure(level, time)
    case .order(let id, let session, let order): sound.audio.order(session, of: id, order)
    case .interruption(let id, let session, let change):
      sound.tellInterruption(id, session: session, change: change)
    case .route(let id): sound.tellRoutes(id)
    case .changed(let id, let news): tell(id, .changed(news))
    case .launch(let name, let launch): installed.begin(name, launch)
    case .giveUpLaunch(let name): installed.keepers.giveUp(name)
    case .recordInstalled: noteInstalledPrograms()
    case .forget(let id): forget(id)
    case .note(let id, let note):
      if case .frozen = note, let id, program(id)?.suspender.isDryRun == false {
        pressure.scores.slept(id, at: now)
        sound.leave(id)
      }
      if let id { tallies.take(note, of: id) }
      journaling.write(note, of: id)
    }
  }

  private func tellWake(_ id: AppID, _ wake: Wake, ticket: Ticket) {
    // The wait of an earlier wake's data says nothing of this wake.
    if wake.line == nil { sources.wokenWithoutLine(id) }
    let waited = sources.wake(of: id).waitedMicroseconds
    tell(id, .wake(ticket, wake.reason, line: wake.line, waitedMicroseconds: waited))
  }

  private func forget(_ id: AppID) {
    guard let program = program(id) else { return }
    lifecycle.tellEnd(of: program)
    for feature in features { feature.forget(program) }
  }
}
