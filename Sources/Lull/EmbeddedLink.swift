internal import LullEngine

/// The engine inside the process. It suspends the handlers instead of the process.
final class EmbeddedLink: Link {
  let name: String
  private var engine: Engine
  private let app: AppID
  private let now: () -> Moment
  private let wallClock: () -> Int64
  private let suspensionChanged: (Bool) -> Void
  private var notices: [LinkNotice] = []
  private var freeze: Ticket?
  private var answer: Answer?
  private(set) var isUp = true
  private(set) var isSuspended = false

  private static let request = RequestID(0)

  /// `suspensionChanged` is told whenever the handlers are suspended or may run again.
  init(
    policy: Policy, registration: Registration, now: @escaping () -> Moment, wallClock: @escaping () -> Int64,
    suspensionChanged: @escaping (Bool) -> Void
  ) throws(LullError) {
    name = registration.name
    self.now = now
    self.wallClock = wallClock
    self.suspensionChanged = suspensionChanged
    var policy = policy
    // It says so between two handlers, and is on its way to no wait.
    policy.settlingTime = .zero
    var engine = Engine(policy: policy)
    var effects: [Effect] = []
    engine.handle(.register(registration, EmbeddedLink.request), at: now(), effects: &effects)
    guard case .answer(_, .registered(let id, _)) = effects.first(where: \.isAnswer) else { throw .ended }
    self.engine = engine
    app = id
    perform(effects)
  }

  var deadline: Moment? { engine.deadline }
  var hasWork: Bool { !notices.isEmpty || freeze != nil }

  func nextNotice() -> LinkNotice? {
    notices.isEmpty ? nil : notices.removeFirst()
  }

  func ask(_ call: Call) throws(LullError) -> Answer {
    guard isUp else { throw .ended }
    answer = nil
    handle(event(for: call))
    switch answer {
    case .refused(let refusal): throw LullError(refusal)
    case let answer?: return answer
    case nil: throw .ended
    }
  }

  /// There is no lull-audio without the daemon.
  func open(_ session: SessionOpening) throws(LullError) -> SessionID {
    throw .daemonUnavailable("sound needs the daemon, and this program supervises itself: start lulld")
  }

  func tell(_ remark: Remark) {
    guard isUp else { return }
    switch remark {
    case .did(let ticket): handle(.did(app, ticket))
    case .done(let ticket): handle(.done(app, ticket))
    case .release(let line): handle(.release(app, line, EmbeddedLink.request))
    case .endTask(let task): handle(.endTask(app, task, EmbeddedLink.request))
    case .background: handle(.command(app, .background, EmbeddedLink.request))
    case .foreground: handle(.command(app, .foreground, EmbeddedLink.request))
    case .bye: handle(.leave(app))
    case .handover, .ready, .endSession: break
    }
  }

  /// The user chose an action.
  func choose(_ notification: NotificationID, _ action: String) throws(LullError) {
    answer = nil
    handle(.answer(notification, action: action, EmbeddedLink.request))
    if case .refused(let refusal) = answer { throw LullError(refusal) }
  }

  func elapse(at now: Moment, resume: ApplicationState?) {
    guard let deadline = engine.deadline, deadline <= now else { return }
    handle(.tick)
  }

  func ready(_ line: LineID, _ readiness: LullEngine.Readiness) {
    handle(.ready(app, line, readiness))
  }

  func fallAsleep(readyLine: () -> (LineID, LullEngine.Readiness)?) {
    guard let ticket = freeze, notices.isEmpty else { return }
    freeze = nil
    if let (line, readiness) = readyLine() {
      handle(.ready(app, line, readiness))
    } else {
      suspend(true)
      // The handlers stand still between two turns of the loop: there is nothing to observe.
      handle(.observed(app, ticket, Observation()))
    }
  }

  private func event(for call: Call) -> Event {
    switch call {
    case .hold(_, let kind, let offload, _): .hold(app, kind, offload, EmbeddedLink.request)
    case .keepAlive(let timeout, let lastRun, let since):
      .keepAlive(app, timeout, lastRun: lastRun, since: since, EmbeddedLink.request)
    case .beginTask(let name): .beginTask(app, name: name, EmbeddedLink.request)
    case .remaining: .remaining(app, EmbeddedLink.request)
    case .present(let content): .present(app, content, EmbeddedLink.request)
    case .schedule(let content, let date, let repeats):
      .schedule(app, content, date, repeats: repeats, EmbeddedLink.request)
    case .cancel(let notification): .cancel(app, notification, EmbeddedLink.request)
    }
  }

  private func handle(_ event: Event) {
    var effects: [Effect] = []
    let now = now()
    engine.handle(.wallClock(offset: wallClock() - now.nanoseconds), at: now, effects: &effects)
    engine.handle(event, at: now, effects: &effects)
    perform(effects)
  }

  private func perform(_ effects: [Effect]) {
    for effect in effects { perform(effect) }
  }

  private func perform(_ effect: Effect) {
    switch effect {
    case .answer(_, let answer): self.answer = answer
    case .freeze(_, let ticket): freeze = ticket
    case .watch(_, let ticket, _): handle(.frozen(app, ticket))
    case .thaw:
      freeze = nil
      suspend(false)
    case .deliver(_, let message, let ticket): notices.append(.deliver(message, ticket, launchReason: nil))
    case .woke(_, let wake, let ticket): notices.append(.wake(wake.reason, ticket))
    case .runKeepAlive(_, let ticket): notices.append(.keepAlive(ticket))
    case .expire(_, let task): notices.append(.expire(task))
    case .show(let id, _, let content): notices.append(.show(id, content))
    case .receive(_, let id, let content): notices.append(.received(id, content))
    case .action(_, let id, let action, let ticket): notices.append(.action(id, action, ticket))
    case .kill(_, let reason):
      isUp = false
      notices.append(.killed(reason))
    case .forget: isUp = false
    // No ping is answered for the program, no ready line is put aside, it is no command, it has no sessions
    // of sound, and whoever shows its notifications is told by `choose` that one is gone.
    case .withdraw, .answerPing, .keepPathsOpen, .spare, .terminate, .order, .interruption, .route, .note:
      break
    }
  }

  private func suspend(_ suspended: Bool) {
    guard suspended != isSuspended else { return }
    isSuspended = suspended
    suspensionChanged(suspended)
  }
}

extension Effect {
  fileprivate var isAnswer: Bool { if case .answer = self { true } else { false } }
}
