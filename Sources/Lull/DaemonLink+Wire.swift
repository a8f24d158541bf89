internal import LullEngine
internal import LullWire

extension Call {
  /// The request, and the descriptor that travels with it.
  var request: (Request, descriptor: Int32?) {
    switch self {
    case .hold(let raw, let kind, let offload, let tcpKeepalive):
      let rules = Offload.names.filter { offload.contains($0.rule) }
      let hold = Request.Hold(
        descriptor: raw, type: kind == .voip ? .voip : .accessory,
        offload: rules.compactMap { Request.Offload(rawValue: $0.name) },
        tcpKeepaliveNanoseconds: tcpKeepalive?.nanoseconds)
      return (.hold(hold), raw)
    case .keepAlive(let timeout, let lastRun, let since):
      let fields = timeout.map {
        Request.KeepAlive(
          timeoutNanoseconds: $0.nanoseconds, lastRunNanoseconds: lastRun?.nanoseconds,
          sinceNanoseconds: since?.nanoseconds)
      }
      return (.keepalive(fields), nil)
    case .beginTask(let name): return (.beginTask(name: name), nil)
    case .remaining: return (.remaining, nil)
    case .present(let content): return (.present(content.fields), nil)
    case .schedule(let content, let date, let repeats):
      let time: Request.Schedule.Time =
        switch date {
        case .wall(let nanoseconds): .at(unixNanoseconds: nanoseconds)
        case .after(let interval): .after(nanoseconds: interval.nanoseconds)
        }
      let fields = Request.Schedule(
        notification: content.fields, time: time, repeatNanoseconds: repeats?.nanoseconds)
      return (.schedule(fields), nil)
    case .cancel(let notification):
      return (.cancel(notification.map { .notification(UInt64($0.number)) } ?? .all), nil)
    }
  }

  /// The fields of `ok`.
  func answer(_ message: Message) throws(WireError) -> LullEngine.Answer {
    switch self {
    case .hold: .line(LineID(try message.identifier(.line)))
    case .keepAlive: .done
    case .beginTask:
      .task(TaskID(try message.identifier(.task)), remaining: try message.interval(.remainingSeconds))
    case .remaining: .remaining(try message.interval(.seconds))
    case .present, .schedule: .notification(NotificationID(try message.identifier(.notification)))
    case .cancel: .count(Int(try message.integer(.count, in: 0...Int64(Int32.max))))
    }
  }
}

extension Remark {
  /// The request, and the descriptor that travels with it.
  var request: (Request, descriptor: Int32?) {
    switch self {
    case .did(let ticket): (.did(ticket: ticket.number), nil)
    case .done(let ticket): (.done(ticket: ticket.number), nil)
    case .release(let line): (.release(line: UInt64(line.number)), nil)
    case .endTask(let task): (.endTask(task: UInt64(task.number)), nil)
    case .endSession(let session): (.endSession(session: UInt64(session.number)), nil)
    case .background: (.background(name: nil), nil)
    case .foreground: (.foreground(name: nil), nil)
    case .handover(let line, let raw, let ticket):
      (.handover(line: UInt64(line.number), ticket: ticket.number), raw)
    case .ready(let ticket): (.ready(ticket: ticket.number), nil)
    case .bye: (.bye, nil)
    }
  }
}

extension LinkNotice {
  /// Nil for a notice that this version does not know, or that lacks what it needs.
  init?(_ message: Message) {
    do throws(WireError) {
      switch message.notice {
      case .deliver:
        self = .deliver(
          try message.word(.message, as: DelegateMessage.self), Ticket(try message.unsigned(.ticket)),
          launchReason: try message.word(ifPresent: .launchReason, as: WakeReason.self))
      case .wake:
        self = .wake(
          try message.word(.reason, as: WakeReason.self), Ticket(try message.unsigned(.ticket)))
      case .keepalive: self = .keepAlive(Ticket(try message.unsigned(.ticket)))
      case .expire: self = .expire(TaskID(try message.identifier(.task)))
      case .action:
        self = .action(
          NotificationID(try message.identifier(.notification)), try message.string(.action),
          Ticket(try message.unsigned(.ticket)))
      case .received:
        self = .received(
          NotificationID(try message.identifier(.notification)),
          LocalNotification(
            body: try message.string(.body), title: message[.title], action: message[.action]))
      case .prepare: self = .prepare(Ticket(try message.unsigned(.ticket)))
      case .interruption, .route, .cut: self = try LinkNotice(sound: message)
      case .entry, .notification, .withdrawn, .exited, nil: return nil
      }
    } catch {
      return nil
    }
  }
}

extension LocalNotification {
  fileprivate var fields: Request.Notification {
    Request.Notification(body: body, title: title, action: action)
  }
}

extension Message {
  func identifier(_ key: Key) throws(WireError) -> UInt32 {
    UInt32(try integer(key, in: 0...Int64(UInt32.max)))
  }

  fileprivate func interval(_ key: Key) throws(WireError) -> Interval? {
    try nanoseconds(ifPresent: key).map { Interval(nanoseconds: $0) }
  }
}
