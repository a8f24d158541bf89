import LullEngine

extension Event {
  /// The request that waits for an answer.
  var request: RequestID? {
    switch self {
    case .register(_, let request), .adopt(_, _, let request), .hold(_, _, _, let request),
      .release(_, _, let request), .keepAlive(_, _, lastRun: _, since: _, let request),
      .beginTask(_, name: _, let request), .endTask(_, _, let request), .remaining(_, let request),
      .present(_, _, let request), .schedule(_, _, _, repeats: _, let request), .cancel(_, _, let request),
      .command(_, _, let request), .answer(_, action: _, let request):
      request
    case .lineFound(_, _, _, let request): request
    case .openSession(_, _, let request), .endSession(_, _, let request): request
    case .sound, .heard, .routeChanged, .leave, .exited, .did, .done, .observed, .frozen, .freezeRefused,
      .childEnded,
      .ending, .signalled, .unfrozen, .ready, .pingAnswered, .lineLost, .lineForgotten, .tick, .stoodStill,
      .wallClock:
      nil
    }
  }

  /// The program that it concerns.
  var app: AppID? {
    switch self {
    case .adopt(let app, _, _), .leave(let app), .exited(let app, _), .did(let app, _), .done(let app, _),
      .hold(let app, _, _, _), .release(let app, _, _), .keepAlive(let app, _, lastRun: _, since: _, _),
      .beginTask(let app, name: _, _), .endTask(let app, _, _), .remaining(let app, _),
      .present(let app, _, _), .schedule(let app, _, _, repeats: _, _), .cancel(let app, _, _),
      .command(let app, _, _), .observed(let app, _, _), .frozen(let app, _),
      .freezeRefused(let app, _, _, _, _), .lineFound(let app, _, _, _), .childEnded(let app),
      .ending(let app), .signalled(let app), .unfrozen(let app), .ready(let app, _, _),
      .pingAnswered(let app, _), .lineLost(let app, _), .lineForgotten(let app, _),
      .openSession(let app, _, _), .endSession(let app, _, _),
      .sound(let app, _, _), .heard(let app, _, _):
      app
    case .routeChanged, .register, .answer, .tick, .stoodStill, .wallClock: nil
    }
  }
}

extension Effect {
  /// The program that it concerns.
  var app: AppID? {
    switch self {
    case .freeze(let app, _), .watch(let app, _, _), .thaw(let app), .answerPing(let app, _),
      .keepPathsOpen(let app), .spare(let app), .deliver(let app, _, _), .woke(let app, _, _),
      .runKeepAlive(let app, _), .expire(let app, _), .terminate(let app), .kill(let app, _),
      .show(_, let app, _), .receive(let app, _, _), .action(let app, _, _, _), .forget(let app),
      .answer(_, .registered(let app, _)):
      app
    case .order(let app, _, _), .interruption(let app, _, _), .route(let app): app
    case .note(let app, _): app
    case .answer, .withdraw: nil
    }
  }
}
