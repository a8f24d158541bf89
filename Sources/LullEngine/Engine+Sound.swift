/// Who is heard: gathered from all programs before each is told.
struct SoundScene: Sendable {
  /// Programs in a call.
  private(set) var callers: [AppID] = []
  /// Programs that make the others quieter.
  private(set) var duckers: [AppID] = []
  /// The program whose music is heard alone: that in the foreground first, then whoever began last.
  private(set) var leader: AppID?
  private var leaderRank: (isForeground: Bool, began: UInt64) = (false, 0)

  mutating func add(_ app: App) {
    let isCalling = app.callLease != nil
    if isCalling { callers.append(app.id) }
    for playback in app.playbacks {
      guard case .wants(let began) = playback.claim, app.mayBeHeard(playback.session) else { continue }
      let isConversation = app.isConversation(playback.session)
      if playback.session.ducksOthers, isCalling || !isConversation { duckers.append(app.id) }
      guard !playback.session.mixes, !isConversation else { continue }
      let rank = (isForeground: app.state == .active || app.state == .inactive, began: began)
      let leads = rank.isForeground == leaderRank.isForeground ? began > leaderRank.began : rank.isForeground
      if leader == nil || leads { (leader, leaderRank) = (app.id, rank) }
    }
  }

  /// How a session is to be heard, and what stands in its way.
  func verdict(on playback: Playback, of app: App) -> (order: SoundOrder, obstacle: Playback.Obstacle) {
    let session = playback.session
    guard app.mayBeHeard(session) else { return (.hold, .background) }
    guard session.direction == .play, !app.isConversation(session) else { return (.play, .none) }
    if case .dismissed = playback.claim { return (.hold, leader == nil ? .dismissal : .music) }
    if !callers.isEmpty, !callers.contains(app.id) {
      return session.mixes ? (.duck, .none) : playback.isRunning ? (.hold, .call) : (.play, .none)
    }
    if playback.isRunning, !session.mixes, let leader, leader != app.id { return (.hold, .music) }
    return (duckers.contains { $0 != app.id } ? .duck : .play, .none)
  }
}

extension Engine {
  /// Decides anew who is heard, until nothing changes: a program that is woken for it may change it again.
  mutating func arrangeSound(_ turn: inout Turn) {
    var passes = LoopLimit(1000)
    while turn.rearrangesSound {
      guard passes.goesOn(nil, &turn) else { return }
      turn.rearrangesSound = false
      var scene = SoundScene()
      apps.forEach { scene.add($0) }
      for slot in 0..<apps.capacity where apps.updateSlot(slot, { $0.obey(scene, &turn) }) == true {
        settle(slot, &turn)
      }
    }
  }

  mutating func changeRoute(_ turn: inout Turn) {
    for slot in 0..<apps.capacity { _ = apps.updateSlot(slot) { $0.routeChanged(&turn) } }
  }

  mutating func openSession(
    _ id: AppID, _ session: SoundSession, _ request: RequestID, _ turn: inout Turn
  ) {
    let number = newSession()
    spoken(id, request, &turn) { $0.openSession(number, session, request, &$1) }
  }
}
