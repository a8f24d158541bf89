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
    case .remaining(let time, let forTasks):
      self = .ok(Message(.ok).adding(.seconds, time?.seconds).adding(.taskSeconds, forTasks?.seconds))
    case .notification(let id): self = .ok(Message(.ok).adding(.notification, id.number))
    case .session(let id): self = .ok(Message(.ok).adding(.session, id.number))
    case .count(let count): self = .ok(Message(.ok).adding(.count, count))
    case .refused(let refusal): self = Reply(refusal)
    }
  }

  init(_ refusal: Refusal) {
    self =
      switch refusal {
      case .nameInUse(let name): .error(.nameInUse, .init(.nameInUse, name: name))
      case .noSuchLine(let id): .error(.noSuchLine, .init(.noSuchLine, number: id.number))
      case .noSuchTask(let id): .error(.noSuchTask, .init(.noSuchTask, number: id.number))
      case .noSuchNotification(let id):
        .error(.noSuchNotification, .init(.noSuchNotification, number: id.number))
      case .noSuchAction(let action): .error(.noSuchAction, .init(.noSuchAction, text: action))
      case .noSuchSession(let id): .error(.noSuchSession, .init(.noSuchSession, number: id.number))
      case .tooManySessions(let limit):
        .error(.tooManySessions, .init(.tooManySessions, limit: Double(limit)))
      case .recordingDenied(let name): .error(.refused, .init(.recordingDenied, name: name))
      case .isUnmanaged: .error(.unsupported, .init(.onlyHeard))
      case .cannotComeBack(let name): .error(.refused, .init(.commandCannotReturn, name: name))
      case .callRings(let name): .error(.refused, .init(.callRings, name: name))
      case .keepAliveTooShort(let asked, let minimum):
        .error(
          .keepaliveTooShort,
          .init(.keepaliveTooShort, limit: minimum.seconds, seconds: asked.seconds))
      case .repeatTooShort(let asked, let minimum):
        .error(.badValue, .init(.repeatTooShort, limit: minimum.seconds, seconds: asked.seconds))
      case .tooManyPrograms(let limit):
        .error(.tooManyPrograms, .init(.tooManyPrograms, limit: Double(limit)))
      case .tooManyLines(let limit): .error(.tooManyLines, .init(.tooManyLines, limit: Double(limit)))
      case .tooManyTasks(let limit): .error(.tooManyTasks, .init(.tooManyTasks, limit: Double(limit)))
      case .tooManyNotifications(let limit):
        .error(.tooManyNotifications, .init(.tooManyNotifications, limit: Double(limit)))
      case .noBackgroundTime: .error(.noBackgroundTime, .init(.noBackgroundTime))
      case .wrongMode(let modes):
        .error(.wrongMode, .init(.wrongMode, text: modes.words.joined(separator: "\" or \"")))
      case .busy(let lease): .error(.busy, .init(.heldAwake, text: lease?.rawValue))
      case .gone: .error(.noSuchProgram, .init(.programEnding))
      case .wasQuit(let name): .error(.refused, .init(.wasQuit, name: name))
      case .crashes(let name, let wait): .error(.busy, .init(.failsAgain, name: name, seconds: wait.seconds))
      case .programEnded(let name): .error(.noSuchProgram, .init(.programEnded, name: name))
      }
  }
}
