import LullEngine

/// The engine's input in one step.
enum Input: Sendable {
  case event(Event)
  case request(Engine.Request)

  var event: Event? { if case .event(let event) = self { event } else { nil } }
  var request: Engine.Request? { if case .request(let request) = self { request } else { nil } }

  var app: AppID? {
    switch self {
    case .event(let event): event.app
    case .request(let request): request.app
    }
  }
}

extension Engine {
  /// Takes an event, or answers a request.
  mutating func take(_ input: Input, at now: Moment, effects: inout [Effect]) -> Answer? {
    switch input {
    case .event(let event):
      handle(event, at: now, effects: &effects)
      return nil
    case .request(let request): return handle(request, at: now, effects: &effects)
    }
  }
}

extension Event {
  var app: AppID? {
    switch self {
    case .leave(let app), .letGo(let app), .exited(let app, _), .did(let app, _), .done(let app, _),
      .handling(let app, _),
      .fetched(let app, _, _),
      .looked(let app, _, _), .observed(let app, _, _), .frozen(let app, _),
      .freezeRefused(let app, _, _, _, _),
      .childEnded(let app), .reconnect(let app, _), .ending(let app), .signalled(let app), .unfrozen(let app),
      .ready(let app, _, _), .pingAnswered(let app, _), .lineLost(let app, _),
      .lineForgotten(let app, _), .sound(let app, _, _), .audibility(let app, _, _),
      .compacted(let app, _, _), .lockAwaited(let app), .signalDue(let app), .traced(let app):
      app
    case .surrounding(.settings(let app)): app
    case .routeChanged, .tick, .stoodStill, .wallClock, .surrounding, .accessory, .pressure, .sizes,
      .linesWait,
      .linesReady,
      .linesTaken:
      nil
    }
  }
}

extension Engine.Request {
  /// The program that speaks itself, and so is awake.
  var asker: AppID? {
    switch self {
    case .adopt, .hold, .release, .keepAlive, .fetch, .wakeIn, .beginTask, .endTask, .remaining, .present,
      .schedule,
      .cancel, .openSession:
      app
    case .register, .transition, .purge, .answer, .answerAtLaunch, .launchFailed, .admit, .uninstall,
      .forceQuit, .launch, .launchable, .restore, .open, .push, .announce, .localZone, .lineFound,
      .endSession, .permitRecording:
      nil
    }
  }

  var app: AppID? {
    switch self {
    case .adopt(let app, _), .hold(let app, _, _), .release(let app, _),
      .keepAlive(let app, _, lastRun: _, since: _), .fetch(let app, _, since: _), .wakeIn(let app, _),
      .beginTask(let app, name: _),
      .endTask(let app, _),
      .remaining(let app), .present(let app, _, _), .schedule(let app, _, _, repeats: _),
      .cancel(let app, _), .transition(let app, _), .purge(let app), .open(let app, _),
      .push(let app, _),
      .lineFound(let app, _, _, _),
      .openSession(let app, _),
      .endSession(let app, _):
      app
    case .register, .answer, .answerAtLaunch, .launchFailed, .admit, .uninstall, .forceQuit, .launch,
      .launchable, .restore, .announce, .localZone, .permitRecording:
      nil
    }
  }
}

extension Effect {
  var app: AppID? {
    switch self {
    case .freeze(let app, _), .watch(let app, _, _), .thaw(let app), .answerPing(let app, _),
      .keepPathsOpen(let app), .compact(let app, _), .checkLocks(let app),
      .checkSignals(let app), .weigh(let app, _),
      .exempt(let app), .deliver(let app, _, _), .woke(let app, _, _),
      .runKeepAlive(let app, _), .runFetch(let app, _), .expire(let app, _), .terminate(let app),
      .kill(let app, _),
      .receive(let app, _, _), .action(let app, _, _, _), .open(let app, _, _), .push(let app, _, _),
      .warnMemory(let app),
      .keepLines(let app),
      .forget(let app):
      app
    case .order(let app, _, _), .interruption(let app, _, _), .route(let app), .changed(let app, _): app
    case .note(let app, _): app
    case .show, .withdraw, .record, .drop, .launch, .giveUpLaunch, .recordInstalled, .measure, .restPressure,
      .recordPermission:
      nil
    }
  }
}
