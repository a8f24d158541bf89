extension Request {
  package var verb: Verb {
    switch self {
    case .hello: .hello
    case .register: .register
    case .did: .did
    case .done: .done
    case .handling: .handling
    case .hold: .hold
    case .release: .release
    case .lineState: .lineState
    case .keepalive: .keepalive
    case .fetch: .fetch
    case .fetched: .fetched
    case .wakeIn: .wakeIn
    case .beginTask: .beginTask
    case .endTask: .endTask
    case .remaining: .remaining
    case .present: .present
    case .schedule: .schedule
    case .cancel: .cancel
    case .scheduled: .scheduled
    case .background: .background
    case .foreground: .foreground
    case .handover: .handover
    case .ready: .ready
    case .bye: .bye
    case .ring: .ring
    case .doorbell: .doorbell
    case .session: .session
    case .endSession: .endSession
    case .status: .status
    case .why: .why
    case .alarm: .alarm
    case .lines: .lines
    case .log: .log
    case .wake: .wake
    case .suspend: .suspend
    case .quit: .quit
    case .purge: .purge
    case .notifications: .notifications
    case .answer: .answer
    case .quiet: .quiet
    case .recording: .recording
    case .open: .open
    case .push: .push
    case .installed: .installed
    case .doctor: .doctor
    case .stopDaemon: .stopDaemon
    case .lock: .lock
    case .unlock: .unlock
    case .upgrade: .upgrade
    case .command: .command
    case .run: .run
    case .adopt: .adopt
    case .letGo: .letGo
    case .kept: .kept
    case .started: .started
    case .ended: .ended
    case .attach: .attach
    case .signal: .signal
    case .audioRoute: .audioRoute
    }
  }

  package static func blank(_ verb: Verb) -> Request {
    switch verb {
    case .hello: .hello()
    case .register: .register(.blank)
    case .did: .did(ticket: Ticket(0))
    case .done: .done(ticket: Ticket(0))
    case .handling: .handling(ticket: Ticket(0))
    case .hold: .hold(.blank)
    case .release: .release(line: LineID(0))
    case .lineState: .lineState(line: LineID(0))
    case .keepalive: .keepalive(nil)
    case .fetch: .fetch(nil)
    case .fetched: .fetched(ticket: Ticket(0), .noData)
    case .wakeIn: .wakeIn(nil)
    case .beginTask: .beginTask(name: "")
    case .endTask: .endTask(task: TaskID(0))
    case .remaining: .remaining
    case .present: .present(.blank)
    case .schedule: .schedule(.blank)
    case .cancel: .cancel(nil)
    case .scheduled: .scheduled()
    case .background: .background(name: nil)
    case .foreground: .foreground(name: nil)
    case .handover: .handover(line: LineID(0), ticket: Ticket(0))
    case .ready: .ready(ticket: Ticket(0))
    case .bye: .bye
    case .ring: .ring
    case .doorbell: .doorbell(inode: nil)
    case .session: .session(.blank)
    case .endSession: .endSession(session: SessionID(0))
    case .status: .status(name: nil, all: false)
    case .why: .why(name: "")
    case .alarm: .alarm
    case .lines: .lines(name: nil, all: false)
    case .log: .log(follow: false, last: nil)
    case .wake: .wake(name: "")
    case .suspend: .suspend(name: "")
    case .quit: .quit(name: "", now: false)
    case .purge: .purge(name: "")
    case .notifications: .notifications(follow: false)
    case .answer: .answer(notification: NotificationID(0), action: "")
    case .quiet: .quiet()
    case .recording: .recording(.blank)
    case .open: .open(url: "")
    case .push: .push(name: "")
    case .installed: .installed()
    case .doctor: .doctor
    case .stopDaemon: .stopDaemon()
    case .lock: .lock
    case .unlock: .unlock
    case .upgrade: .upgrade()
    case .command: .command(arguments: 0)
    case .run: .run(.blank)
    case .adopt: .adopt(.blank)
    case .letGo: .letGo(name: "")
    case .kept: .kept(name: "", line: nil)
    case .started: .started
    case .ended: .ended(name: "", .unknown)
    case .attach: .attach(name: "")
    case .signal: .signal(name: "", number: 0)
    case .audioRoute: .audioRoute(.blank)
    }
  }
}
