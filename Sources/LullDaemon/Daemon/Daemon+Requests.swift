import LullChannel
import LullEngine
import LullGuard
import LullSystem
import LullWire

extension Daemon {
  func handle(_ message: Message, _ descriptor: DescriptorBox?, from client: Client) {
    do {
      let request = try Request.parse(message)
      client.heard(request)
      answer(to: request, descriptor, client)
    } catch {
      reply(Reply(error), to: client)
    }
  }

  private func answer(to request: Request, _ descriptor: DescriptorBox?, _ client: Client) {
    var answer = refuse(request, client)
    if answer == nil {
      // Its client is answered by `answerHeld`.
      guard awaitedName(of: request) == nil else {
        awaited.hold(request, descriptor, from: client.slot, at: Clock.boottime())
        return control.wait(client)
      }
      answer = respond(to: request, descriptor, client)
    }
    if let answer { reply(answer, to: client) }
  }

  func answerHeld() {
    while let held = awaited.takeHeld(at: Clock.boottime(), mustWait: { awaitedName(of: $0) != nil }) {
      guard let client = control[held.client] else { continue }
      if let name = awaitedName(of: held.request) {
        reply(notBackYet(name), to: client)
      } else {
        answer(to: held.request, held.descriptor, client)
      }
      control.resume(client)
    }
  }

  /// The answer has to wait for a program that has still to register again.
  private func awaitedName(of request: Request) -> String? {
    switch request {
    case .status(let name?, _), .lines(let name?, _), .why(let name), .wake(let name), .suspend(let name),
      .background(let name?), .foreground(let name?), .quit(let name, _, _, _), .purge(let name),
      .letGo(let name),
      .signal(let name, _, _), .push(let name, _, _), .installed(let name?, start: true):
      isAwaited(name) ? name : nil
    // To dismiss a notification takes no program.
    case .answer(let id, let action) where action != NotificationAction.dismiss.rawValue:
      engine.notifications.first { $0.id == id }.flatMap { isAwaited($0.program) ? $0.program : nil }
    case .open(let url, let name): installed.awaitedTaker(of: url, name)
    default: nil
    }
  }

  private func registersAgain(_ request: Request, _ client: Client) -> Bool {
    if case .register(let register) = request { lifecycle.registersAgain(register, client) } else { false }
  }

  private func refuse(_ request: Request, _ client: Client) -> Reply? {
    if !registersAgain(request, client), let refusal = ending.refusal(of: request) { return refusal }
    guard case .program(let id) = client.role else { return nil }
    guard let name = program(id)?.name else { return Reply(.gone) }
    guard !request.mayBeAsked(byProgram: name) else { return nil }
    return .error(.refused, .init(.insideProgram, name: name))
  }

  /// Nil when the reply comes later or has been sent.
  private func respond(to request: Request, _ descriptor: DescriptorBox?, _ client: Client) -> Reply? {
    switch request {
    case .hello(let boot):
      if boot { installed.bootNow() }
      return .ok(hello(client))
    case .register(let register): return lifecycle.register(register, client)
    case .status(let name, let all): return status(name, all: all, client)
    case .lines(let name, let all): return lines(name, detail: all ? .members : .sums, client: client)
    case .why(let name): return why(name, client)
    case .alarm: return .ok(alarm())
    case .log(let follow, let last, let name, let since, let boot):
      return journaling.log(
        follow: follow, last: last, Journal.Filter(program: name, since: since, boot: boot), client)
    case .notifications(let follow): return desktop.notifications(follow: follow, client)
    case .doctor: return doctor(client)
    case .stopDaemon(let programs): return stopDaemon(withPrograms: programs)
    case .upgrade(let folder): return guarding.upgrade(to: folder, client)
    case .installed(let name, let start): return installed.list(name, start: start, client)
    case .lock: return surroundings.lock(true)
    case .unlock: return surroundings.lock(false)
    case .wake(let name): return change(.wake, of: name, client: client)
    case .suspend(let name): return change(.suspend, of: name, client: client)
    case .quit(let name, let now, let keepLines, let restart):
      return lifecycle.quit(name, now: now, keepsLines: keepLines, restarts: restart, client)
    case .purge(let name): return pressure.purge(name, client)
    case .background(let name?): return change(.background, of: name, client: client)
    case .foreground(let name?): return change(.foreground, of: name, client: client)
    case .answer(let id, let action): return installed.answer(id, desktop.meant(by: action, in: id))
    case .quiet(let on): return desktop.quiet(on)
    case .recording(let entry): return Reply(ask(.permitRecording(entry)))
    case .open(let url, let name): return installed.open(url, name: name)
    case .push(let name, let title, let isSilent):
      return installed.push(descriptor, title: title, to: name, isSilent: isSilent)
    case .command, .ring, .doorbell: return stage(request, descriptor: descriptor, client)
    case .run(let run): return lifecycle.run(run, client)
    case .adopt(let wanted): return adoption.adopt(descriptor, by: wanted, for: client)
    case .letGo(let name): return adoption.letGo(name)
    case .kept(let name, let line): return kept.hand(name, line: line, client)
    case .started: return lifecycle.started(descriptor, client)
    case .ended(let name, let status): return lifecycle.ended(name, status: status, client: client)
    case .attach(let name): return lifecycle.attach(name, client)
    case .signal(let name, let number, let sent): return lifecycle.signal(name, number, sent: sent)
    case .session(let session):
      return sound.openSession(session, client, becomeUnmanaged: lifecycle.becomeUnmanaged)
    case .audioRoute(let route): return sound.route(route)
    case .endSession(let session): return sound.endSession(session, client)
    case .did, .done, .handling, .hold, .release, .lineState, .keepalive, .fetch, .fetched, .wakeIn,
      .beginTask, .endTask, .remaining, .present, .schedule, .cancel, .scheduled, .background(nil),
      .foreground(nil), .handover,
      .ready, .bye:
      guard case .program(let id) = client.role, let program = program(id) else {
        return .error(.notRegistered, .init(.needsRegistration))
      }
      return respond(to: request, descriptor: descriptor, client, of: program)
    }
  }

  private func respond(
    to request: Request, descriptor: DescriptorBox?, _ client: Client, of program: Program
  ) -> Reply? {
    let id = program.id
    switch request {
    case .did(let ticket): feed(.did(id, ticket))
    case .done(let ticket): feed(.done(id, ticket))
    case .handling(let ticket): feed(.handling(id, ticket))
    case .hold(let hold): return sleeping.hold(hold, for: program, from: client, descriptor)
    case .release(let line): return sleeping.releaseLine(line, of: program)
    case .lineState(let line): return kept.setState(descriptor, of: line, program)
    case .keepalive(let keepAlive):
      let past = engine.installed(program.name)?.past
      let last =
        keepAlive?.lastRunNanoseconds.map(clock.moment(atBoottime:)) ?? past?.lastKeepAliveRun
      let since = keepAlive?.sinceNanoseconds.map(clock.moment(atBoottime:)) ?? past?.keepAliveSince
      return Reply(ask(.keepAlive(id, keepAlive?.timeout, lastRun: last, since: since)))
    case .fetch(let interval, let since):
      return Reply(ask(.fetch(id, interval, since: since.map(clock.moment(atBoottime:)))))
    case .fetched(let ticket, let result): feed(.fetched(id, ticket, result))
    case .wakeIn(let time): return Reply(ask(.wakeIn(id, time)))
    case .beginTask(let name): return Reply(ask(.beginTask(id, name: name)))
    case .endTask(let task): return Reply(ask(.endTask(id, task)))
    case .remaining: return Reply(ask(.remaining(id)))
    case .present(let notification, let old):
      return Reply(ask(.present(id, notification, replaces: old)))
    case .schedule(let fields): return desktop.schedule(fields, id)
    case .cancel(let notification): return Reply(ask(.cancel(id, notification)))
    case .scheduled(let all): return desktop.scheduled(program.name, all: all, client)
    case .background: return Reply(ask(.transition(id, .background)))
    case .foreground: return Reply(ask(.transition(id, .foreground)))
    case .handover(let line, let ticket):
      return sleeping.handover(line, ticket: ticket, of: program, descriptor: descriptor)
    case .ready(let ticket):
      // The reply goes out before the freeze. Otherwise it would wait in the program's socket as the first
      // bytes to read.
      reply(.ok, to: client)
      sleeping.handedOver(ticket, by: program)
      return nil
    case .bye:
      sources.dropAll(of: id)
      kept.lines.silence(id)
      feed(.leave(id))
      if program.isCommand { control.programs.fallSilent(client, id) }
    case .hello, .register, .ring, .doorbell, .session, .endSession, .status, .why, .alarm, .lines, .log,
      .wake, .suspend, .quit, .purge, .notifications, .answer, .quiet, .recording, .open, .push, .installed,
      .doctor, .lock, .unlock,
      .command, .run, .adopt, .letGo, .kept, .started, .ended, .attach, .signal, .audioRoute, .stopDaemon,
      .upgrade:
      return respond(to: request, descriptor, client)
    }
    return .ok
  }

  private func stage(_ request: Request, descriptor: DescriptorBox?, _ client: Client) -> Reply {
    control.stage(client, descriptor: descriptor) { descriptor, staged in
      switch request {
      case .command(let arguments): return staged.keep(descriptor, arguments: arguments)
      case .ring: return staged.keep(ring: descriptor)
      case .doorbell(let inode): return staged.keep(doorbell: descriptor, inode: inode)
      default: break
      }
      return .ok
    }
  }

  private func change(_ transition: Transition, of name: String, client: Client) -> Reply {
    guard let id = engine.find(name: name) else { return noSuchProgram(name) }
    let answer = ask(.transition(id, transition))
    guard case .done = answer else { return Reply(answer) }
    // The reply tells the result of the freeze. Only the connection whose requests the freeze would read is
    // answered first.
    if control.programs.speaker(of: id) !== client { sleeping.finishFreeze(of: id) }
    let state = engine.state(of: id) ?? .notRunning
    return .ok(Message(.ok).adding(.state, state.rawValue))
  }

  private func hello(_ client: Client) -> Message {
    var message = Message(.ok).adding(.pid, Identity.pid()).adding(.version, DaemonOptions.version)
      .adding(.clockRate, clock.rate).adding(.suspender, suspenders.word.rawValue)
    guard case .program(let id) = client.role, let program = program(id) else {
      return message.adding(.identity, Vocabulary.Identity.operator.rawValue)
    }
    message = message.adding(.identity, Vocabulary.Identity.program.rawValue)
    return message.adding(.name, program.name)
  }
}
