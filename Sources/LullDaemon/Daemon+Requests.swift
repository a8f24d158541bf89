import LullEngine
import LullSystem
import LullWire

extension Daemon {
  func handle(_ message: Message, _ descriptor: DescriptorBox?, from client: Client) {
    do {
      let request = try Request.parse(message)
      if let refusal = refuse(request, client) { return reply(refusal, to: client) }
      if let answer = respond(to: request, descriptor, client) { reply(answer, to: client) }
    } catch {
      reply(Reply(error), to: client)
    }
  }

  /// What a peer may not ask (docs/PROTOCOL.md, "Who may ask what").
  private func refuse(_ request: Request, _ client: Client) -> Reply? {
    guard case .program(let id) = client.role else { return nil }
    guard program(id) != nil else { return Reply(.gone) }
    let name = program(id)?.name
    switch request {
    case .status(let other), .lines(let other, _), .background(let other), .foreground(let other):
      guard other != nil, other != name else { return nil }
    case .why(let other), .wake(let other), .suspend(let other), .quit(let other):
      guard other != name else { return nil }
    case .soundRoute(let route): guard route.name != name else { return nil }
    case .log, .notifications, .answer, .run, .attach, .signal, .stdio, .directory, .command: break
    default: return nil
    }
    return .error(
      code: .refused, message: "a process of the program \(name ?? "") may ask for that program only")
  }

  /// The reply, or nil when it comes later or has been sent.
  private func respond(to request: Request, _ descriptor: DescriptorBox?, _ client: Client) -> Reply? {
    switch request {
    case .hello: return .ok(hello(client))
    case .register(let register): return self.register(register, client)
    case .status(let name): return status(name, client)
    case .lines(let name, let all): return lines(name, all ? .members : .sums, client)
    case .why(let name): return why(name, client)
    case .log(let follow, let last): return log(follow: follow, last: last, client)
    case .notifications(let follow): return notifications(follow: follow, client)
    case .doctor: return doctor(client)
    case .wake(let name): return command(.wake, name, client)
    case .suspend(let name): return command(.suspend, name, client)
    case .quit(let name): return command(.quit, name, client)
    case .background(let name?): return command(.background, name, client)
    case .foreground(let name?): return command(.foreground, name, client)
    case .answer(let notification, let action): return answer(notification, action)
    case .stdio(let number): return stage(client, descriptor, standard: number)
    case .directory: return stage(client, directory: descriptor)
    case .command(let arguments): return stage(client, command: descriptor, arguments: arguments)
    case .run(let run): return self.run(run, client)
    case .attach(let name): return attach(name, client)
    case .signal(let name, let number): return signal(name, number)
    case .ring: return stage(client, ring: descriptor)
    case .bell(let inode): return stage(client, bell: descriptor, inode: inode)
    case .session(let session): return openSession(session, client)
    case .soundRoute(let route): return self.route(route)
    case .endSession(let session): return endSession(session, client)
    default:
      guard case .program(let id) = client.role, let program = program(id) else {
        return .error(code: .notRegistered, message: "register first: this is a program's request")
      }
      return respond(to: request, descriptor, client, program)
    }
  }

  private func respond(
    to request: Request, _ descriptor: DescriptorBox?, _ client: Client, _ program: Program
  ) -> Reply? {
    let id = program.id
    switch request {
    case .did(let ticket): feed(.did(id, Ticket(ticket)))
    case .done(let ticket): feed(.done(id, Ticket(ticket)))
    case .hold(let hold): return self.hold(hold, for: program, from: client, descriptor)
    case .release(let line): return releaseLine(line, of: program)
    case .keepalive(let keepAlive):
      let timeout = keepAlive.map { Interval(nanoseconds: $0.timeoutNanoseconds) }
      let last = keepAlive?.lastRunNanoseconds.map(clock.moment(atBoottime:))
      let since = keepAlive?.sinceNanoseconds.map(clock.moment(atBoottime:))
      return Reply(ask { .keepAlive(id, timeout, lastRun: last, since: since, $0) })
    case .beginTask(let name): return Reply(ask { .beginTask(id, name: name, $0) })
    case .endTask(let task):
      return Reply(ask { .endTask(id, TaskID(UInt32(clamping: task)), $0) })
    case .remaining: return Reply(ask { .remaining(id, $0) })
    case .present(let notification): return Reply(ask { .present(id, LocalNotification(notification), $0) })
    case .schedule(let schedule): return self.schedule(schedule, id)
    case .cancel(let cancel): return self.cancel(cancel, id)
    case .scheduled: return scheduled(id, client)
    case .background: return Reply(ask { .command(id, .background, $0) })
    case .foreground: return Reply(ask { .command(id, .foreground, $0) })
    case .handover(let line, let ticket): return handover(line, ticket, of: program, descriptor)
    case .ready(let ticket):
      // The reply goes out before the freeze, or it would wait in the program's socket as the first thing to
      // read.
      reply(.ok, to: client)
      handedOver(ticket, by: program)
      return nil
    case .bye:
      dropLines(of: program)
      feed(.leave(id))
      if program.isCommand { client.role = .program(id); program.speaker = nil }
    default: break
    }
    return .ok
  }

  private func command(_ command: LullEngine.Command, _ name: String, _ client: Client) -> Reply {
    guard let id = engine.find(name: name) else { return noSuchProgram(name) }
    let answer = ask { .command(id, command, $0) }
    guard case .done = answer else { return Reply(answer) }
    // The reply tells what came of it. Only the connection that a freeze would listen to is answered first.
    if program(id)?.speaker !== client { finishFreeze(of: id) }
    let state = engine.state(of: id) ?? .notRunning
    return .ok(Message(.ok).adding(.state, state.rawValue))
  }

  func noSuchProgram(_ name: String) -> Reply {
    .error(code: .noSuchProgram, message: "no program \"\(name)\"; `lull status` lists them")
  }

  private func answer(_ notification: UInt64, _ action: String) -> Reply {
    let id = NotificationID(UInt32(clamping: notification))
    let name = engine.notifications.first { $0.id == id }?.program
    let answer = ask { .answer(id, action: action, $0) }
    guard case .done = answer else { return Reply(answer) }
    return .ok(Message(.ok).adding(.name, name))
  }

  private func schedule(_ schedule: Request.Schedule, _ id: AppID) -> Reply {
    let date: FireDate =
      switch schedule.time {
      case .at(let nanoseconds): .wall(nanoseconds)
      case .after(let nanoseconds): .after(Interval(nanoseconds: nanoseconds))
      }
    let repeats = schedule.repeatNanoseconds.map(Interval.init(nanoseconds:))
    return Reply(
      ask { .schedule(id, LocalNotification(schedule.notification), date, repeats: repeats, $0) })
  }

  private func cancel(_ cancel: Request.Cancel, _ id: AppID) -> Reply {
    switch cancel {
    case .all: Reply(ask { .cancel(id, nil, $0) })
    case .notification(let number):
      Reply(ask { .cancel(id, NotificationID(UInt32(clamping: number)), $0) })
    }
  }

  private func hello(_ client: Client) -> Message {
    var message = Message(.ok).adding(.pid, Identity.pid()).adding(.version, DaemonOptions.version)
      .adding(.clockRate, clock.rate).adding(.suspender, suspenderWord.rawValue)
    guard case .program(let id) = client.role, let program = program(id) else {
      return message.adding(.identity, Vocabulary.Identity.operator.rawValue)
    }
    message = message.adding(.identity, Vocabulary.Identity.program.rawValue)
    return message.adding(.name, program.name)
  }

  var suspenderWord: Vocabulary.Suspender { place.root == nil ? .signal : .cgroup }
}

extension LocalNotification {
  init(_ notification: Request.Notification) {
    self.init(body: notification.body, title: notification.title, action: notification.action)
  }
}
