import LullEngine
import LullWire

extension Reply {
  init(_ answer: Engine.Answer) {
    switch answer {
    case .done: self = .ok
    case .registered(_, let state): self = .ok(Message(.ok).adding(.state, state.rawValue))
    case .line(let line): self = .ok(Message(.ok).adding(.line, line.number))
    case .task(let task, let remaining):
      self = .ok(Message(.ok).adding(.task, task.number).adding(.remainingSeconds, remaining?.seconds))
    case .remaining(let remaining): self = .ok(Message(.ok).adding(.seconds, remaining?.seconds))
    case .notification(let id): self = .ok(Message(.ok).adding(.notification, id.number))
    case .session(let id): self = .ok(Message(.ok).adding(.session, id.number))
    case .count(let count): self = .ok(Message(.ok).adding(.count, count))
    case .refused(let refusal): self = Reply(refusal)
    }
  }

  init(_ refusal: Refusal) {
    switch refusal {
    case .nameInUse(let name):
      self = .error(
        code: .nameInUse, message: "a program named \"\(name)\" is managed already; choose another name")
    case .noSuchLine(let id): self = .error(code: .noSuchLine, message: "no line \(id.number)")
    case .noSuchTask(let id): self = .error(code: .noSuchTask, message: "no open task \(id.number)")
    case .noSuchNotification(let id):
      self = .error(
        code: .noSuchNotification, message: "no notification \(id.number); `lull notifications` lists them")
    case .noSuchAction(let action):
      self = .error(
        code: .noSuchAction, message: "no action \"\(action)\"; use its title, \"default\" or \"dismiss\"")
    case .noSuchSession(let id):
      self = .error(code: .noSuchSession, message: "no session \(id.number)")
    case .tooManySessions(let limit):
      self = .error(code: .tooManySessions, message: "at most \(limit) sessions of sound in one program")
    case .isUnmanaged:
      self = .error(
        code: .unsupported, message: "it is only heard through Lull; start it with `lull run` to manage it")
    case .cannotComeBack(let name):
      self = .error(
        code: .refused,
        message: "\(name) cannot come back: `lull install` it with --keep-lines, or allow that it ends with "
          + "--purgeable; if it has one of them, `lull list` tells the error in its file")
    case .callRings(let name):
      self = .error(code: .refused, message: "a call for \(name) rings; answer or dismiss it first")
    case .keepAliveTooShort(let asked, let minimum):
      self = .error(
        code: .keepaliveTooShort,
        message: "a keep-alive of \(text(asked)) s is too short; the shortest is \(text(minimum)) s")
    case .repeatTooShort(let asked, let minimum):
      self = .error(
        code: .badValue,
        message: "repeat=\(text(asked)) is too short; the shortest interval is \(text(minimum)) s")
    case .tooManyPrograms(let limit):
      self = .error(code: .tooManyPrograms, message: "at most \(limit) programs at once")
    case .tooManyLines(let limit):
      self = .error(code: .tooManyLines, message: "at most \(limit) lines in one program")
    case .tooManyTasks(let limit):
      self = .error(code: .tooManyTasks, message: "at most \(limit) open tasks in one program")
    case .tooManyNotifications(let limit):
      self = .error(
        code: .tooManyNotifications, message: "at most \(limit) scheduled notifications in one program")
    case .noBackgroundTime:
      self = .error(
        code: .noBackgroundTime, message: "the time for tasks in this stay in the background has run out")
    case .wrongMode(let mode):
      let word = mode.words.first ?? ""
      self = .error(code: .wrongMode, message: "the program has to declare the mode \"\(word)\" for this")
    case .busy(let lease):
      self = .error(code: .busy, message: "not now: held awake by \"\(lease?.rawValue ?? "")\"")
    case .gone: self = .error(code: .noSuchProgram, message: "the program has ended or is ending")
    case .wasQuit(let name):
      self = .error(code: .refused, message: "\(name) was quit: `lull start \(name)` starts it")
    case .crashes(let name, let wait):
      self = .error(
        code: .busy,
        message: "\(name) has failed several times in a row, and is started again in \(text(wait)) s; "
          + "`lull why \(name)`")
    case .programEnded(let name):
      self = .error(
        code: .noSuchProgram, message: "\(name) has ended: start it, or \"dismiss\" the notification")
    }
  }
}

private func text(_ interval: Interval) -> String {
  let whole = interval.nanoseconds / 1_000_000_000
  return interval.nanoseconds % 1_000_000_000 == 0 ? "\(whole)" : "\(interval.seconds)"
}
