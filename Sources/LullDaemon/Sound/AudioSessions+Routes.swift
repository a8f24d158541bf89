import LullChannel
import LullEngine
import LullWire

extension AudioSessions {
  mutating func take(_ news: AudioRouteNews) -> [AudioOutcome] {
    guard let id = news.session else { return deviceChanged(news) }
    guard let session = session(id) else { return [] }
    _ = change(session) { $0.place = news.device }
    return route(
      [session], news, notice: news.notice(old: news.old, news.reason), program: session.app,
      detail: "session \(id.number) to \(news.device)")
  }

  private mutating func deviceChanged(_ news: AudioRouteNews) -> [AudioOutcome] {
    let (old, reason): (String?, RouteReason) =
      news.change == .new ? (nil, .newDeviceAvailable) : (news.device, .oldDeviceUnavailable)
    let affected = all.filter { $0.device == news.device }
    return route(affected, news, notice: news.notice(old: old, reason), program: nil, detail: news.device)
  }

  private mutating func route(
    _ affected: [AudioSession], _ news: AudioRouteNews, notice: RouteNotice, program: AppID?, detail: String
  ) -> [AudioOutcome] {
    for session in affected {
      var notice = notice
      notice.session = session.id
      _ = change(session) { $0.unheardRoute = notice }
    }
    let what = "route-\(news.change.rawValue)"
    var outcomes: [AudioOutcome] = [
      .note(program, what: what, cause: news.reason?.rawValue, detail: detail), .event(.routeChanged),
    ]
    if news.change == .new, news.reason != .override {
      outcomes += affected.map { $0.report(.resumed) }
    }
    return outcomes
  }

  mutating func takeRouteNotices(of app: AppID) -> [(notice: ProgramNotice, client: Slot)] {
    sessions(of: app).compactMap { session in
      guard let notice = session.unheardRoute else { return nil }
      _ = change(session) { $0.unheardRoute = nil }
      return (.route(notice), session.client)
    }
  }
}

extension AudioRouteNews {
  /// The notice for a program whose session this is about; the session is still to be added.
  fileprivate func notice(old: String?, _ reason: RouteReason?) -> RouteNotice {
    RouteNotice(change: change, device: change == .new ? device : nil, old: old, reason: reason)
  }
}
