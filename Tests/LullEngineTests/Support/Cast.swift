import LullEngine

/// The programs of a story as the effects so far show them, and the words for an effect.
struct Cast {
  var programs: [String: AppID] = [:]
  var names: [AppID: String] = [:]
  var messages: [AppID: Ticket] = [:]
  var wakes: [AppID: Ticket] = [:]
  var freezes: [AppID: Ticket] = [:]
  var compactions: [AppID: Ticket] = [:]
  var measurement = Ticket(0)

  mutating func learn(_ effect: Effect) {
    switch effect {
    case .note(let id?, .registered(let name)): (programs[name], names[id]) = (id, name)
    case .deliver(let id, _, let ticket): messages[id] = ticket
    case .woke(let id, _, let ticket), .runKeepAlive(let id, let ticket), .runFetch(let id, let ticket),
      .action(let id, _, _, let ticket), .open(let id, _, let ticket), .push(let id, _, let ticket):
      wakes[id] = ticket
    case .freeze(let id, let ticket): freezes[id] = ticket
    case .compact(let id, let ticket): compactions[id] = ticket
    case .measure(_, let ticket): measurement = ticket
    default: break
    }
  }

  /// The words for an effect; nil for an entry of the journal.
  func text(of effect: Effect) -> String? {
    switch effect {
    case .freeze(let id, _): "freeze \(name(id))"
    case .watch(let id, _, let plan): Self.text(of: plan, name(id))
    case .thaw(let id): "thaw \(name(id))"
    case .answerPing(let id, let line): "answer ping on \(name(id))'s line \(line.number)"
    case .keepLines(let id): "keep \(name(id))'s lines"
    case .keepPathsOpen(let id): "keep \(name(id))'s paths open"
    case .compact(let id, _): "compact \(name(id))"
    case .checkLocks(let id): "check \(name(id))'s locks"
    case .checkSignals(let id): "check \(name(id))'s signals"
    case .weigh(let id, let weight): "\(name(id)): weight \(weight)"
    case .exempt(let id): "exempt what is like \(name(id))"
    case .deliver(let id, let message, _): "\(name(id)): \(message)"
    case .woke(let id, let wake, _):
      "\(name(id)): woke, \(wake.reason)" + (wake.line.map { " on line \($0.number)" } ?? "")
    case .runKeepAlive(let id, _): "\(name(id)): keep-alive"
    case .runFetch(let id, _): "\(name(id)): fetch"
    case .push(let id, let push, _): "\(name(id)): push \(String(decoding: push.payload, as: UTF8.self))"
    case .expire(let id, let task): "\(name(id)): task \(task.number) expires"
    case .terminate(let id): "SIGTERM to \(name(id))"
    case .kill(let id, let reason): "kill \(name(id)), \(reason.rawValue)"
    case .show(let notification, let program, let content):
      "show \(program)'s \(notification.number), \(content.body)"
    case .withdraw(let notification): "withdraw \(notification.number)"
    case .receive(let id, let notification, let content):
      "\(name(id)): received \(notification.number), \(content.body)"
    case .action(let id, let notification, let action, _):
      "\(name(id)): \(notification.number) answered, \(action)"
    case .open(let id, let url, _): "\(name(id)): open \(url)"
    case .order(let id, let session, let order): "\(order) \(name(id))'s session \(session.number)"
    case .interruption(let id, let session, let change):
      "\(name(id)): interruption of session \(session.number) \(change)"
    case .route(let id): "\(name(id)): route"
    case .changed(let id, let news): "\(name(id)): changed, \(news.changes.words.joined(separator: " "))"
    case .measure(let ids, _): "measure \(ids.map(name).joined(separator: " "))"
    case .warnMemory(let id): "warn \(name(id))"
    case .restPressure(let level, let time): "rest \(level) \(time.text) s"
    case .forget(let id): "forget \(name(id))"
    case .launch(let name, let launch):
      "start \(name), \(launch.reason.rawValue)" + (launch.url.map { " \($0)" } ?? "")
        + (launch.push.map { " " + String(decoding: $0.payload, as: UTF8.self) } ?? "")
    case .giveUpLaunch(let name): "give up the start of \(name)"
    case .note, .record, .drop, .recordInstalled, .recordPermission: nil
    }
  }

  private static func text(of plan: WatchPlan, _ name: String) -> String {
    var words = ["watch \(name)"]
    if !plan.wakesAtOnce { words.append("the engine decides") }
    words += plan.disregarded.map { "changes of line \($0.number)" }
    words += plan.full.map { "room on line \($0.number)" }
    return words.joined(separator: ", ")
  }

  func text(of answer: Engine.Answer) -> String {
    switch answer {
    case .done: "ok"
    case .registered(_, let state): "ok, \(state)"
    case .line(let line): "ok, line \(line.number)"
    case .task(let task, let remaining):
      "ok, task \(task.number)" + (remaining.map { ", \($0.text) s" } ?? "")
    case .remaining(let time, let forTasks):
      "ok, " + (time.map { "\($0.text) s" } ?? "unlimited")
        + (time == forTasks ? "" : " of \(forTasks?.text ?? "unlimited") s")
    case .session(let id): "ok, session \(id.number)"
    case .notification(let id): "ok, notification \(id.number)"
    case .count(let count): "ok, \(count)"
    case .refused: "refused"
    }
  }

  private func name(_ id: AppID) -> String { names[id] ?? "slot \(id.slot)" }
}
