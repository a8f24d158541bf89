extension Request {
  package func visited(by fields: inout some FieldVisitor) throws(WireError) -> Request {
    switch self {
    case .hello(let boot): .hello(boot: try fields.flag(.boot, boot))
    case .remaining, .bye, .alarm, .doctor, .lock, .unlock, .started, .ring: self
    case .register(let register): .register(try register.visited(by: &fields))
    case .did(let ticket): .did(ticket: try fields.needed(.ticket, .ticket, value: ticket))
    case .done(let ticket): .done(ticket: try fields.needed(.ticket, .ticket, value: ticket))
    case .handling(let ticket): .handling(ticket: try fields.needed(.ticket, .ticket, value: ticket))
    case .ready(let ticket): .ready(ticket: try fields.needed(.ticket, .ticket, value: ticket))
    case .hold(let hold): .hold(try hold.visited(by: &fields))
    case .lineState(let line): .lineState(line: try fields.needed(.line, .identifier, value: line))
    case .release(let line): .release(line: try fields.needed(.line, .identifier, value: line))
    case .handover(let line, let ticket):
      .handover(
        line: try fields.needed(.line, .identifier, value: line),
        ticket: try fields.needed(.ticket, .ticket, value: ticket))
    case .keepalive(let keepAlive): .keepalive(try KeepAlive.visited(keepAlive, by: &fields))
    case .fetch(let interval, let since):
      .fetch(
        try fields.optional(.seconds, .seconds(in: Bounds.fetches), value: interval),
        since: try fields.optional(.since, .number(in: 0 ... .max), value: since))
    case .fetched(let ticket, let result):
      .fetched(
        ticket: try fields.needed(.ticket, .ticket, value: ticket),
        try fields.needed(.result, .word, value: result))
    case .wakeIn(let time):
      .wakeIn(try fields.optional(.seconds, .seconds(in: Bounds.wakeTimers), value: time))
    case .beginTask(let name): .beginTask(name: try fields.needed(.name, .text, value: name))
    case .endTask(let task): .endTask(task: try fields.needed(.task, .identifier, value: task))
    case .present(let notification, let old):
      .present(
        try notification.visited(by: &fields),
        replaces: try fields.optional(.replaces, .identifier, value: old))
    case .schedule(let schedule): .schedule(try schedule.visited(by: &fields))
    case .cancel(let notification): .cancel(try Request.cancelled(notification, by: &fields))
    case .scheduled(let all): .scheduled(all: try fields.flag(.all, all))
    case .background(let name): .background(name: try fields.optional(.name, .programName, value: name))
    case .foreground(let name): .foreground(name: try fields.optional(.name, .programName, value: name))

    case .doorbell(let inode): .doorbell(inode: try fields.optional(.inode, .unsigned, value: inode))
    case .session(let session): .session(try session.visited(by: &fields))
    case .endSession(let session):
      .endSession(session: try fields.needed(.session, .identifier, value: session))

    case .status(let name, let all):
      .status(name: try fields.optional(.name, .programName, value: name), all: try fields.flag(.all, all))
    case .why(let name): .why(name: try fields.needed(.name, .programName, value: name))
    case .lines(let name, let all):
      .lines(name: try fields.optional(.name, .programName, value: name), all: try fields.flag(.all, all))
    case .log(let follow, let last, let name, let since, let boot):
      .log(
        follow: try fields.flag(.follow, follow),
        last: try fields.optional(.last, .number(in: 0...Int(Int32.max)), value: last),
        name: try fields.optional(.name, .programName, value: name),
        since: try fields.optional(.since, .seconds(in: Bounds.dates), value: since),
        boot: try fields.flag(.boot, boot))
    case .wake(let name): .wake(name: try fields.needed(.name, .programName, value: name))
    case .suspend(let name): .suspend(name: try fields.needed(.name, .programName, value: name))
    case .quit(let name, let now, let keepLines, let restart):
      .quit(
        name: try fields.needed(.name, .programName, value: name), now: try fields.flag(.now, now),
        keepLines: try fields.flag(.keepLines, keepLines), restart: try fields.flag(.restart, restart))
    case .purge(let name): .purge(name: try fields.needed(.name, .programName, value: name))
    case .notifications(let follow): .notifications(follow: try fields.flag(.follow, follow))
    case .answer(let notification, let action):
      .answer(
        notification: try fields.needed(.notification, .identifier, value: notification),
        action: try fields.needed(.action, .text, value: action))
    case .quiet(let on): .quiet(on: try fields.optional(.on, .word, value: on))
    case .recording(let entry): .recording(try entry.visited(by: &fields))
    case .open(let url, let name):
      .open(
        url: try fields.needed(.url, .url, value: url),
        name: try fields.optional(.name, .programName, value: name))

    case .push(let name, let title, let isSilent):
      .push(
        name: try fields.needed(.name, .programName, value: name),
        title: try fields.optional(.title, .text, value: title),
        isSilent: try fields.flag(.silent, isSilent))

    case .upgrade(let folder): .upgrade(folder: try fields.optional(.folder, .text, value: folder))
    case .stopDaemon(let programs): .stopDaemon(programs: try fields.flag(.programs, programs))
    case .installed(let name, let start):
      .installed(
        name: try fields.optional(.name, .programName, value: name), start: try fields.flag(.start, start))

    case .command(let arguments):
      .command(arguments: try fields.needed(.arguments, .number(in: 1...Int(Int32.max)), value: arguments))
    case .run(let run): .run(try run.visited(by: &fields))
    case .adopt(let adopt): .adopt(try adopt.visited(by: &fields))
    case .letGo(let name): .letGo(name: try fields.needed(.name, .programName, value: name))
    case .kept(let name, let line):
      .kept(
        name: try fields.needed(.name, .programName, value: name),
        line: try fields.optional(.line, .identifier, value: line))
    case .attach(let name): .attach(name: try fields.needed(.name, .programName, value: name))
    case .ended(let name, let status):
      .ended(
        name: try fields.needed(.name, .programName, value: name), try status.visited(by: &fields))
    case .signal(let name, let number, let sent):
      .signal(
        name: try fields.needed(.name, .programName, value: name),
        number: try fields.needed(.number, .number(in: 1...64), value: number),
        sent: try fields.flag(.sent, sent))
    case .audioRoute(let route): .audioRoute(try route.visited(by: &fields))
    }
  }
}
