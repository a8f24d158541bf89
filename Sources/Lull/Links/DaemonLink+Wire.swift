internal import LullEngine
internal import LullWire

extension Call {
  /// The request, and the descriptor that travels with it.
  var request: (Request, descriptor: Int32?) {
    switch self {
    case .hold(let raw, let traits):
      let hold = Request.Hold(
        descriptor: raw, type: traits.purpose, offload: traits.offload,
        tcpKeepAlive: traits.tcpKeepalive, name: traits.name, isEncrypted: traits.isEncrypted)
      return (.hold(hold), raw)
    case .keepAlive(let timeout, let lastRun, let since):
      let fields = timeout.map {
        Request.KeepAlive(
          timeout: $0, lastRunNanoseconds: lastRun?.nanoseconds,
          sinceNanoseconds: since?.nanoseconds)
      }
      return (.keepalive(fields), nil)
    case .beginTask(let name): return (.beginTask(name: name), nil)
    case .remaining: return (.remaining, nil)
    case .present(let content, let old): return (.present(content, replaces: old), nil)
    case .schedule(let content, let date, let repeats, let zone):
      let fields = Request.Schedule(notification: content, date: date, repeats: repeats, zone: zone)
      return (.schedule(fields), nil)
    case .cancel(let notification):
      return (.cancel(notification), nil)
    }
  }

  /// Reads the fields of `ok`.
  func answer(_ message: Message) throws(WireError) -> Engine.Answer {
    switch self {
    case .hold: .line(try message.identifier(.line))
    case .keepAlive: .done
    case .beginTask:
      .task(try message.identifier(.task), remaining: try message.interval(ifPresent: .remainingSeconds))
    case .remaining: .remaining(try message.interval(ifPresent: .seconds))
    case .present, .schedule: .notification(try message.identifier(.notification))
    case .cancel: .count(Int(try message.integer(.count, in: 0...Int64(Int32.max))))
    }
  }
}

extension SupervisedNotification {
  /// Reads an item of the answer to `scheduled`; nil for another item.
  init?(_ item: Message) throws(WireError) {
    guard item.itemKind == .notification else { return nil }
    id = try item.identifier(.notification)
    content = try LocalNotification(item)
    date = try item.number(ifPresent: .at)
    // The date alone is read from what has been shown before: its rule makes no difference any more.
    let rule = try? Request.Schedule(item)
    (repeats, zone) = (rule?.repeats, rule?.zone)
  }
}

extension Remark {
  var request: (Request, descriptor: Int32?) {
    switch self {
    case .did(let ticket): (.did(ticket: ticket), nil)
    case .done(let ticket): (.done(ticket: ticket), nil)
    case .handling(let ticket): (.handling(ticket: ticket), nil)
    case .release(let line): (.release(line: line), nil)
    case .wakeIn(let time): (.wakeIn(time), nil)
    case .endTask(let task): (.endTask(task: task), nil)
    case .endSession(let session): (.endSession(session: session), nil)
    case .background: (.background(name: nil), nil)
    case .foreground: (.foreground(name: nil), nil)
    case .handover(let line, let raw, let ticket):
      (.handover(line: line, ticket: ticket), raw)
    case .ready(let ticket): (.ready(ticket: ticket), nil)
    case .bye: (.bye, nil)
    }
  }

  var replyUse: DaemonConnection.ReplyUse {
    if case .done(let ticket) = self { .done(ticket) } else { .ignored }
  }
}

extension Registration {
  func request(resume: ApplicationState?) -> Request.Register {
    Request.Register(
      name: name, settings, launch: launch, profile: profile,
      resume: resume.map { $0 == .background ? .background : .active })
  }
}
