extension Request {
  /// The verb of the request.
  public var verb: Verb {
    switch self {
    case .hello: .hello
    case .register: .register
    case .did: .did
    case .done: .done
    case .hold: .hold
    case .release: .release
    case .keepalive: .keepalive
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
    case .bell: .bell
    case .session: .session
    case .endSession: .endSession
    case .status: .status
    case .why: .why
    case .lines: .lines
    case .log: .log
    case .wake: .wake
    case .suspend: .suspend
    case .quit: .quit
    case .notifications: .notifications
    case .answer: .answer
    case .doctor: .doctor
    case .stdio: .stdio
    case .directory: .directory
    case .command: .command
    case .run: .run
    case .attach: .attach
    case .signal: .signal
    case .soundRoute: .soundRoute
    }
  }

  /// The request as a message; ``parse(_:)`` reads it back.
  public func message() -> Message {
    let message = Message(verb)
    switch self {
    case .hello, .remaining, .scheduled, .bye, .doctor, .directory, .ring, .keepalive(nil):
      return message
    case .register(let register): return register.adding(to: message)
    case .hold(let hold): return hold.adding(to: message)
    case .keepalive(let keepAlive?): return keepAlive.adding(to: message)
    case .present(let notification): return notification.adding(to: message)
    case .schedule(let schedule): return schedule.adding(to: message)
    case .run(let run): return run.adding(to: message)
    case .bell(let inode): return message.adding(.inode, inode)
    case .session(let session): return session.adding(to: message)
    case .soundRoute(let route): return route.adding(to: message)
    case .endSession(let session): return message.adding(.session, session)
    case .cancel(.all): return message.adding(flag: .all)
    case .cancel(.notification(let id)): return message.adding(.notification, id)
    case .did(let ticket), .done(let ticket), .ready(let ticket): return message.adding(.ticket, ticket)
    case .release(let line): return message.adding(.line, line)
    case .handover(let line, let ticket): return message.adding(.line, line).adding(.ticket, ticket)
    case .beginTask(let name): return message.adding(.name, name)
    case .endTask(let task): return message.adding(.task, task)
    case .background(let name), .foreground(let name), .status(let name):
      return message.adding(.name, name)
    case .lines(let name, let all): return message.adding(.name, name).adding(flag: .all, if: all)
    case .why(let name), .wake(let name), .suspend(let name), .quit(let name), .attach(let name):
      return message.adding(.name, name)
    case .log(let follow, let last): return message.adding(flag: .follow, if: follow).adding(.last, last)
    case .notifications(let follow): return message.adding(flag: .follow, if: follow)
    case .answer(let notification, let action):
      return message.adding(.notification, notification).adding(.action, action)
    case .stdio(let number): return message.adding(.number, number)
    case .command(let arguments): return message.adding(.arguments, arguments)
    case .signal(let name, let number): return message.adding(.name, name).adding(.number, number)
    }
  }
}

extension Request.Register {
  func adding(to message: Message) -> Message {
    message.adding(.name, name).adding(.modes, words: modes).adding(.launch, word: launch)
      .adding(flag: .exitsOnSuspend, if: exitsOnSuspend).adding(.profile, word: profile)
      .adding(.batchWakes, nanoseconds: batchWakesNanoseconds).adding(.resume, word: resume)
  }
}

extension Request.Hold {
  func adding(to message: Message) -> Message {
    message.adding(.fd, descriptor).adding(.type, word: type)
      .adding(.offload, words: offload.isEmpty ? nil : offload)
      .adding(.tcpKeepalive, nanoseconds: tcpKeepaliveNanoseconds)
  }
}

extension Request.KeepAlive {
  func adding(to message: Message) -> Message {
    message.adding(.timeout, nanoseconds: timeoutNanoseconds).adding(.lastRun, lastRunNanoseconds)
      .adding(.since, sinceNanoseconds)
  }
}

extension Request.Notification {
  func adding(to message: Message) -> Message {
    message.adding(.body, body).adding(.title, title).adding(.action, action)
  }
}

extension Request.Schedule {
  func adding(to message: Message) -> Message {
    let message = notification.adding(to: message)
    let timed =
      switch time {
      case .at(let nanoseconds): message.adding(.at, nanoseconds: nanoseconds)
      case .after(let nanoseconds): message.adding(.in, nanoseconds: nanoseconds)
      }
    return timed.adding(.repeat, nanoseconds: repeatNanoseconds)
  }
}

extension Request.Run {
  func adding(to message: Message) -> Message {
    message.adding(.name, name).adding(.modes, words: modes.isEmpty ? nil : modes)
      .adding(.keepAlive, nanoseconds: keepAliveNanoseconds).adding(flag: .detach, if: detach)
      .adding(.batchWakes, nanoseconds: batchWakesNanoseconds)
      .adding(.wakeOn, numbers: wakeOn).adding(.ignore, numbers: ignore)
      .adding(.tcpKeepalive, nanoseconds: tcpKeepaliveNanoseconds)
      .adding(.udpKeepalive, nanoseconds: udpKeepaliveNanoseconds)
      .adding(.udpKeepaliveTo, udpKeepaliveTo).adding(.linger, nanoseconds: lingerNanoseconds)
      .adding(.timers, timers).adding(.silence, nanoseconds: silenceNanoseconds)
  }
}
